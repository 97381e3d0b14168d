//: task com.example.todo.sync app-refresh
//: run
//: ends com.example.todo.sync completed
//: says will change
//: says 3 todos, first Buy milk

import BackgroundTasks
import Combine
import SwiftUI

struct Todo: Identifiable, Codable, Equatable {
    var id = UUID()
    var title: String
    var isDone = false
}

final class TodoStore: ObservableObject {
    @Published var todos: [Todo] = []
    @Published var selectedFilter = Filter.all
    @Published private(set) var openCount = 0
    private var subscriptions = Set<AnyCancellable>()

    enum Filter: String, CaseIterable, Identifiable {
        case all, open, done
        var id: Self { self }
    }

    init() {
        $todos
            .map { todos in todos.filter { !$0.isDone }.count }
            .removeDuplicates()
            .assign(to: &$openCount)

        objectWillChange
            .first()
            .sink { print("will change") }
            .store(in: &subscriptions)

        Publishers.CombineLatest($todos, $selectedFilter)
            .dropFirst()
            .sink { todos, filter in print("\(todos.count) in \(filter.rawValue)") }
            .store(in: &subscriptions)
    }

    func sync() {
        todos = ["Buy milk", "Call Ada", "Write"].map { Todo(title: $0) }
    }

    func toggle(_ todo: Todo) {
        guard let index = todos.firstIndex(of: todo) else { return }
        todos[index].isDone.toggle()
    }
}

@main
struct TodoApp: App {
    @StateObject private var store = TodoStore()
    @Environment(\.scenePhase) private var scenePhase

    init() {
        registerBackgroundTasks()
    }

    var body: some Scene {
        WindowGroup {
            TodoListView(store: store)
        }
        .onChange(of: scenePhase) { phase in
            if phase == .background { print("background") }
        }
    }

    private func registerBackgroundTasks() {
        let store = store
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.todo.sync", using: .main
        ) { task in
            store.sync()
            print("\(store.openCount) todos, first \(store.todos.first?.title ?? "none")")
            task.setTaskCompleted(success: true)
        }
    }
}

struct TodoListView: View {
    @ObservedObject var store: TodoStore
    @State private var newTitle = ""
    @State private var showsAlert = false
    @FocusState private var isFocused: Bool
    @AppStorage("sortAscending") private var sortAscending = true

    var body: some View {
        VStack {
            Picker("Filter", selection: $store.selectedFilter) {
                ForEach(TodoStore.Filter.allCases) { filter in
                    Text(filter.rawValue.capitalized).tag(filter)
                }
            }
            .pickerStyle(.segmented)

            List(store.todos) { todo in
                HStack {
                    Text(todo.title)
                        .strikethrough(todo.isDone)
                    Spacer()
                    Button {
                        withAnimation { store.toggle(todo) }
                    } label: {
                        Image(systemName: todo.isDone ? "checkmark.circle.fill" : "circle")
                    }
                    .buttonStyle(.plain)
                }
            }
            .listStyle(.plain)

            HStack {
                TextField("New", text: $newTitle)
                    .focused($isFocused)
                    .onSubmit { showsAlert = newTitle.isEmpty }
                Toggle("Ascending", isOn: $sortAscending)
            }
            .padding()
            .background(.thinMaterial)
        }
        .alert("Enter a title", isPresented: $showsAlert) {
            Button("OK", role: .cancel) {}
        } message: {
            Text("\(store.openCount) open, \(Double(store.openCount) / 3, specifier: "%.1f")")
        }
        .onAppear { store.sync() }
    }
}
