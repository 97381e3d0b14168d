import BackgroundTasks
import Foundation

/// Ways to complete once although two may want to.
final class Once {
    private var active: BGTask?
    private var operation: Task<Void, Never>?

    func handle(_ task: BGAppRefreshTask) {
        schedule()
        if let previous = active {
            operation?.cancel()
            finish(previous, success: false)
        }
        active = task
        task.expirationHandler = { [weak self] in
            Task { @MainActor in
                guard let self else { return }
                self.operation?.cancel()
                self.finish(task, success: false)
            }
        }
        operation = Task { [weak self] in
            guard let self else {
                task.setTaskCompleted(success: false)
                return
            }
            let success = await self.refresh()
            self.finish(task, success: success && !Task.isCancelled)
        }
    }

    private func finish(_ task: BGTask, success: Bool) {
        guard active === task else { return }
        task.expirationHandler = nil
        active = nil
        task.setTaskCompleted(success: success)
    }

    func handleGuarded(_ task: BGProcessingTask) {
        let completion = CompletionGuard()
        let work = Task {
            for album in await albums() {
                if Task.isCancelled { return }
                await index(album)
            }
            completion.complete(task, success: true)
        }
        task.expirationHandler = {
            work.cancel()
            completion.complete(task, success: false)
        }
    }

    private final class CompletionGuard {
        private var fired = false
        private let lock = NSLock()

        func complete(_ task: BGTask, success: Bool) {
            lock.lock()
            defer { lock.unlock() }
            guard !fired else { return }
            fired = true
            task.setTaskCompleted(success: success)
        }
    }

    func handleWeakly(_ task: BGProcessingTask) {
        task.expirationHandler = { Feed.shared.cancel() }
        Feed.shared.load { [weak task] result in
            guard let task else { return }
            task.setTaskCompleted(success: result)
        }
    }

    func handleLocally(_ task: BGProcessingTask) {
        let finish = { (success: Bool) in
            DispatchQueue.main.async { task.setTaskCompleted(success: success) }
        }
        let work = Task {
            do {
                try await Feed.shared.sync()
                if Task.isCancelled { return }
                finish(true)
            } catch {
                finish(false)
            }
        }
        task.expirationHandler = {
            work.cancel()
            finish(false)
        }
    }

    /// The task is completed by an operation later, not before the next one is scheduled.
    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.once", using: nil) { task in
            self.start(task as! BGAppRefreshTask)
            self.schedule()
        }
        for identifier in Configuration.identifiers {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                self.handleAny(task)
            }
        }
    }

    private func start(_ task: BGAppRefreshTask) {
        let operation = RefreshOperation()
        task.expirationHandler = { operation.cancel() }
        operation.completionBlock = { task.setTaskCompleted(success: !operation.isCancelled) }
        OperationQueue().addOperation(operation)
    }

    private func handleAny(_ task: BGTask) {
        scheduleAgain(task)
        let operation = AnyOperation(task: task)
        task.expirationHandler = { operation.cancel() }
        operation.completionBlock = { task.setTaskCompleted(success: !operation.isCancelled) }
        OperationQueue().addOperation(operation)
    }

    private func scheduleAgain(_ task: BGTask) {
        switch task {
        case is BGProcessingTask: submit(BGProcessingTaskRequest(identifier: task.identifier))
        case is BGAppRefreshTask: submit(BGAppRefreshTaskRequest(identifier: task.identifier))
        default: return
        }
    }

    private func submit(_ request: BGTaskRequest) {
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule \(request.identifier): \(error)")
        }
    }

    private func schedule() {
        let identifier = "com.example.once"
        submit(BGAppRefreshTaskRequest(identifier: identifier))
    }
}
