import BackgroundTasks
import SwiftUI

/// Registers in the App's initializer, through a type of its own.
@main
struct NotesApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate
    private let sync = SyncScheduler()

    init() {
        sync.register()
    }

    var body: some Scene {
        WindowGroup { NotesView() }
    }
}

final class SyncScheduler {
    private let identifier = "com.example.notes.sync"
    private var activeTask: Task<Void, Never>?

    func register() {
        let registered = BGTaskScheduler.shared.register(
            forTaskWithIdentifier: identifier, using: nil
        ) { [weak self] task in
            guard let self, let task = task as? BGAppRefreshTask else {
                task.setTaskCompleted(success: false)
                return
            }
            self.handle(task)
        }
        assert(registered, "the identifier is missing in Info.plist")
    }

    private func handle(_ task: BGAppRefreshTask) {
        schedule()
        activeTask = Task {
            let success = await Notes.shared.sync()
            task.setTaskCompleted(success: success && !Task.isCancelled)
        }
        task.expirationHandler = { [weak self] in
            self?.activeTask?.cancel()
        }
    }

    func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: identifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: TimeInterval(60 * 60))
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch let error as BGTaskScheduler.Error {
            switch error.code {
            case .unavailable: print("background refresh is off")
            case .tooManyPendingTaskRequests: print("too many pending requests")
            case .notPermitted: print("not permitted")
            default: print("unknown error \(error)")
            }
        } catch {
            print("could not schedule: \(error)")
        }
    }
}
