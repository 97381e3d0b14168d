//: task com.example.notes.backup processing
//: run
//: ends com.example.notes.backup completed
//: says Backed up 2 notes, frequency weekly
//: file home/Documents/backup.json

import BackgroundTasks
import SwiftUI

enum BackupFrequency: String, CaseIterable, Identifiable, Codable {
    case daily, weekly, monthly
    var id: Self { self }
    var title: LocalizedStringKey {
        switch self {
        case .daily: "Daily"
        case .weekly: "Weekly"
        case .monthly: "Monthly"
        }
    }
}

struct Note: Identifiable, Hashable, Codable {
    let id: UUID
    var title: String
    var text: String
    var modified: Date
}

@MainActor
final class NotesModel: ObservableObject {
    @Published var notes: [Note] = [
        Note(id: UUID(), title: "Groceries", text: "Milk", modified: .now),
        Note(id: UUID(), title: "Ideas", text: "", modified: .now),
    ]
    @Published var errorMessage: String?
    @Published var isExporting = false

    func delete(at offsets: IndexSet) {
        notes.remove(atOffsets: offsets)
    }

    func move(from source: IndexSet, to destination: Int) {
        notes.move(fromOffsets: source, toOffset: destination)
    }
}

struct SettingsView: View {
    @AppStorage("backupEnabled") private var backupEnabled = true
    @AppStorage("frequency") private var frequency: BackupFrequency = .weekly
    @AppStorage("lastBackup") private var lastBackup: Double = 0
    @AppStorage("maxBackups") private var maxBackups = 5
    @AppStorage("username", store: UserDefaults(suiteName: "group.com.example.notes")) private
        var username: String?
    @SceneStorage("selectedTab") private var selectedTab = 0
    @EnvironmentObject private var model: NotesModel
    @Environment(\.dismiss) private var dismiss
    @FocusState private var nameIsFocused: Bool
    @State private var showingDeleteAlert = false
    @State private var start = Date()

    var body: some View {
        NavigationStack {
            Form {
                Section("Backup") {
                    Toggle("Enable background backup", isOn: $backupEnabled.animation())
                    if backupEnabled {
                        Picker("Frequency", selection: $frequency) {
                            ForEach(BackupFrequency.allCases) { frequency in
                                Text(frequency.title).tag(frequency)
                            }
                        }
                        .pickerStyle(.segmented)
                        Stepper("Keep \(maxBackups) backups", value: $maxBackups, in: 1...10)
                        Stepper(value: $maxBackups, in: 1...10, step: 1) {
                            Text("Keep \(maxBackups)")
                        }
                        DatePicker(
                            "Start", selection: $start, in: Date()...,
                            displayedComponents: .hourAndMinute)
                    }
                }
                Section {
                    Button("Delete all", role: .destructive) { showingDeleteAlert = true }
                    LabeledContent(
                        "Last backup", value: Date(timeIntervalSince1970: lastBackup),
                        format: .dateTime)
                } header: {
                    Text("Danger zone")
                } footer: {
                    Text("This cannot be undone.")
                        .font(.footnote)
                        .foregroundStyle(.secondary)
                }
            }
            .navigationTitle("Settings")
            .navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .topBarTrailing) {
                    Button("Done") { dismiss() }
                }
                ToolbarItemGroup(placement: .bottomBar) {
                    EditButton()
                    Spacer()
                    ShareLink(item: URL(string: "https://example.com")!)
                }
            }
            .alert("Delete all notes?", isPresented: $showingDeleteAlert) {
                Button("Cancel", role: .cancel) {}
                Button("Delete", role: .destructive) { model.notes.removeAll() }
            } message: {
                Text("All \(model.notes.count) notes will be deleted.")
            }
            .presentationDetents([.medium, .large])
        }
    }
}

struct NotesList: View {
    @ObservedObject var model: NotesModel
    @State private var searchText = ""
    @State private var selection: Note.ID?
    @State private var showSettings = false
    @Namespace private var animation

    private var filtered: [Note] {
        searchText.isEmpty
            ? model.notes
            : model.notes.filter { $0.title.localizedCaseInsensitiveContains(searchText) }
    }

    var body: some View {
        NavigationSplitView {
            List(selection: $selection) {
                ForEach(filtered) { note in
                    NavigationLink(value: note) {
                        VStack(alignment: .leading, spacing: 4) {
                            Text(note.title).font(.headline)
                            Text(note.modified, style: .relative).font(.caption)
                            Text(note.modified.formatted(date: .abbreviated, time: .shortened))
                        }
                    }
                    .swipeActions(edge: .trailing, allowsFullSwipe: true) {
                        Button(role: .destructive) {
                            model.notes.removeAll { $0.id == note.id }
                        } label: {
                            Label("Delete", systemImage: "trash")
                        }
                        .tint(.red)
                    }
                    .listRowBackground(Color.clear)
                    .listRowInsets(EdgeInsets(top: 0, leading: 8, bottom: 0, trailing: 8))
                }
                .onDelete(perform: model.delete)
                .onMove(perform: model.move)
            }
            .listStyle(.insetGrouped)
            .searchable(text: $searchText, prompt: "Search notes")
            .overlay {
                if filtered.isEmpty {
                    ContentUnavailableView.search
                }
            }
            .refreshable { await Task.yield() }
            .sheet(isPresented: $showSettings) { SettingsView().environmentObject(model) }
        } detail: {
            if let selection, let index = model.notes.firstIndex(where: { $0.id == selection }) {
                TextEditor(text: $model.notes[index].text)
            } else {
                Text("Select a note")
            }
        }
        .alert(
            "Error",
            isPresented: Binding(
                get: { model.errorMessage != nil }, set: { if !$0 { model.errorMessage = nil } }),
            presenting: model.errorMessage
        ) { _ in
            Button("OK") {}
        } message: { message in
            Text(message)
        }
    }
}

@main
struct NotesApp: App {
    @StateObject private var model = NotesModel()
    @Environment(\.scenePhase) private var scenePhase

    init() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.notes.backup", using: nil
        ) { task in
            Self.backup(task as! BGProcessingTask)
        }
    }

    var body: some Scene {
        WindowGroup {
            NotesList(model: model)
        }
        .onChange(of: scenePhase) { _, phase in
            if phase == .background { Self.schedule() }
        }
    }

    nonisolated static func schedule() {
        let request = BGProcessingTaskRequest(identifier: "com.example.notes.backup")
        request.requiresExternalPower = true
        try? BGTaskScheduler.shared.submit(request)
    }

    nonisolated static func backup(_ task: BGProcessingTask) {
        let work = Task { @MainActor in
            let model = NotesModel()
            let frequency =
                UserDefaults.standard.string(forKey: "frequency") ?? BackupFrequency.weekly.rawValue
            let data = try JSONEncoder().encode(model.notes)
            try data.write(
                to: .documentsDirectory.appending(path: "backup.json"),
                options: [.atomic, .completeFileProtection])
            print("Backed up \(model.notes.count) notes, frequency \(frequency)")
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = {
            work.cancel()
            task.setTaskCompleted(success: false)
        }
    }
}

#Preview {
    SettingsView()
        .environmentObject(NotesModel())
}

#Preview("Landscape", traits: .landscapeLeft) {
    NotesList(model: NotesModel())
}
