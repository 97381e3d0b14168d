//: task com.example.notes.backup processing manual
//: task com.example.notes.refresh app-refresh
//: run
//: ends com.example.notes.refresh completed
//: says notes refreshed

import BackgroundTasks
import Combine
import SwiftUI

@MainActor
final class BackgroundScheduler: ObservableObject {
    @Published private(set) var lastSubmission: Date?
    private var cancellables: Set<AnyCancellable> = []

    init() {
        NotificationCenter.default.publisher(for: UIApplication.didEnterBackgroundNotification)
            .sink { [weak self] _ in
                self?.submitBackup()
            }
            .store(in: &cancellables)

        NotificationCenter.default
            .publisher(for: UIApplication.willEnterForegroundNotification)
            .map { _ in Date() }
            .sink { date in print("back at \(date)") }
            .store(in: &cancellables)

        $lastSubmission
            .compactMap { $0 }
            .dropFirst()
            .debounce(for: .milliseconds(200), scheduler: RunLoop.main)
            .sink { print("submitted at \($0)") }
            .store(in: &cancellables)
    }

    func register() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.notes.refresh", using: DispatchQueue.main
        ) { task in
            print("notes refreshed")
            task.setTaskCompleted(success: true)
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.notes.backup", using: nil
        ) { task in
            task.setTaskCompleted(success: true)
        }
    }

    private func submitBackup() {
        let request = BGProcessingTaskRequest(identifier: "com.example.notes.backup")
        request.requiresNetworkConnectivity = true
        request.earliestBeginDate = Date(timeIntervalSinceNow: 60 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
            lastSubmission = Date()
        } catch {
            print(error)
        }
    }
}

@main
struct NotesApp: App {
    @StateObject private var scheduler = BackgroundScheduler()

    init() {
        scheduler.register()
    }

    var body: some Scene {
        WindowGroup {
            NotesView()
                .environmentObject(scheduler)
        }
    }
}

struct NotesView: View {
    @EnvironmentObject var scheduler: BackgroundScheduler

    var body: some View {
        List {
            Section("Backup") {
                if let date = scheduler.lastSubmission {
                    Text(date, style: .relative)
                } else {
                    Text("Never")
                        .foregroundColor(.secondary)
                }
            }
        }
        .listStyle(.insetGrouped)
    }
}

struct NotesView_Previews: PreviewProvider {
    static var previews: some View {
        NotesView()
    }
}
