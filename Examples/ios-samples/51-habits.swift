//: task com.example.habits.reset app-refresh
//: run
//: ends com.example.habits.reset completed
//: says Reset 2 habits
//: says Moved Read, Run, Sleep

import BackgroundTasks
import SwiftUI

struct Habit: Identifiable, Codable, Equatable {
    var id = UUID()
    var name: String
    var isDone = false
}

final class HabitStore: ObservableObject {
    static let shared = HabitStore()
    @Published var habits: [Habit] = [
        Habit(name: "Run", isDone: true), Habit(name: "Sleep", isDone: true), Habit(name: "Read"),
    ]

    func reset() -> Int {
        let done = habits.indices.filter { habits[$0].isDone }
        for index in done { habits[index].isDone = false }
        habits.move(fromOffsets: IndexSet(integer: 2), toOffset: 0)
        return done.count
    }
}

extension HabitStore: @unchecked Sendable {}

struct AddHabitView: View {
    @Environment(\.presentationMode) var presentationMode
    @EnvironmentObject var store: HabitStore
    @State private var name = ""
    @State private var notify = false
    @State private var date = Date()
    @State private var color = Color.blue
    @State private var goal = 1.0
    @FocusState private var focused: Field?
    enum Field: Hashable { case name, goal }

    var body: some View {
        NavigationView {
            Form {
                Section(header: Text("Habit"), footer: Text("Be specific")) {
                    TextField("Name", text: $name)
                        .focused($focused, equals: .name)
                        .onSubmit { focused = .goal }
                        .disableAutocorrection(true)
                    Toggle(isOn: $notify) { Label("Remind me", systemImage: "bell") }
                        .toggleStyle(SwitchToggleStyle(tint: .green))
                    if notify {
                        DatePicker("Time", selection: $date, displayedComponents: .hourAndMinute)
                            .datePickerStyle(.compact)
                    }
                    ColorPicker("Color", selection: $color)
                    Slider(value: $goal, in: 1...10, step: 1) { Text("Goal") }
                    Text("Goal: \(goal, specifier: "%.0f")")
                }
            }
            .listStyle(InsetGroupedListStyle())
            .navigationBarTitle("New habit", displayMode: .inline)
            .navigationBarItems(
                leading: Button("Cancel") { presentationMode.wrappedValue.dismiss() },
                trailing: Button("Save", action: save).disabled(name.isEmpty))
        }
        .navigationViewStyle(StackNavigationViewStyle())
    }

    private func save() {
        store.habits.append(Habit(name: name))
        presentationMode.wrappedValue.dismiss()
    }
}

struct HabitList: View {
    @StateObject private var store = HabitStore.shared
    @State private var showAdd = false
    @State private var alert: Habit?
    @AppStorage("onboarded") private var onboarded = false

    var body: some View {
        NavigationView {
            ZStack(alignment: .bottomTrailing) {
                List {
                    ForEach(store.habits) { habit in
                        HStack {
                            Image(systemName: habit.isDone ? "checkmark.circle.fill" : "circle")
                                .resizable()
                                .scaledToFit()
                                .frame(width: 24)
                                .foregroundColor(habit.isDone ? .green : .secondary)
                            Text(habit.name).strikethrough(habit.isDone)
                            Spacer()
                        }
                        .padding(.vertical, 4)
                        .contentShape(Rectangle())
                        .onTapGesture { toggle(habit) }
                        .onLongPressGesture(minimumDuration: 0.5) { alert = habit }
                    }
                    .onDelete { store.habits.remove(atOffsets: $0) }
                    .onMove { store.habits.move(fromOffsets: $0, toOffset: $1) }
                }
                Button(action: { showAdd = true }) {
                    Image(systemName: "plus")
                        .font(.system(size: 24, weight: .bold))
                        .foregroundColor(.white)
                        .padding()
                        .background(
                            Circle().fill(
                                LinearGradient(
                                    gradient: Gradient(colors: [.blue, .purple]), startPoint: .top,
                                    endPoint: .bottom))
                        )
                        .shadow(color: .black.opacity(0.3), radius: 4, x: 0, y: 2)
                }
                .buttonStyle(PlainButtonStyle())
                .padding()
            }
            .navigationTitle("Habits")
            .toolbar { EditButton() }
            .alert(item: $alert) { habit in
                Alert(
                    title: Text("Delete \(habit.name)?"), message: Text("Really"),
                    primaryButton: .destructive(Text("Delete")) {
                        store.habits.removeAll { $0 == habit }
                    },
                    secondaryButton: .cancel())
            }
        }
        .sheet(isPresented: $showAdd) { AddHabitView().environmentObject(store) }
        .fullScreenCover(isPresented: .constant(!onboarded)) {
            TabView {
                ForEach(0..<3) { page in
                    GeometryReader { geometry in
                        Text("Page \(page)").frame(width: geometry.size.width)
                    }
                }
            }
            .tabViewStyle(PageTabViewStyle())
        }
        .animation(.default, value: store.habits)
        .onReceive(store.$habits) { habits in print(habits.count) }
    }

    private func toggle(_ habit: Habit) {
        guard let index = store.habits.firstIndex(of: habit) else { return }
        withAnimation(.easeInOut(duration: 0.2)) { store.habits[index].isDone.toggle() }
    }
}

@main
struct HabitsApp: App {
    @Environment(\.scenePhase) var scenePhase

    var body: some Scene {
        WindowGroup { HabitList() }
            .onChange(of: scenePhase) { phase in
                if phase == .background { schedule() }
            }
            .backgroundTask(.appRefresh("com.example.habits.reset")) {
                await MainActor.run {
                    let count = HabitStore.shared.reset()
                    print("Reset \(count) habits")
                    print("Moved \(HabitStore.shared.habits.map(\.name).joined(separator: ", "))")
                }
            }
    }

    func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.habits.reset")
        request.earliestBeginDate = Calendar.current.startOfDay(for: Date()).addingTimeInterval(
            86_400)
        do { try BGTaskScheduler.shared.submit(request) } catch { print("\(error)") }
    }
}

struct HabitList_Previews: PreviewProvider {
    static var previews: some View {
        HabitList().previewDisplayName("Habits").preferredColorScheme(.dark)
    }
}
