import BackgroundTasks
import Foundation

/// Swift 6 style: structured work, one place that completes.
@MainActor
final class Refresher {
    static let shared = Refresher()
    private init() {}

    nonisolated func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.mail.refresh", using: nil) {
            task in
            let work = Task { @MainActor in
                Self.shared.scheduleNext()
                let success = await Self.shared.refresh()
                task.setTaskCompleted(success: success)
            }
            task.expirationHandler = { work.cancel() }
        }
    }

    func refresh() async -> Bool {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for account in accounts {
                    group.addTask { try await account.refresh() }
                }
                try await group.waitForAll()
            }
            return true
        } catch is CancellationError {
            return false
        } catch {
            Logger.mail.error("refresh failed: \(error)")
            return false
        }
    }

    func handleWithResult(_ task: BGProcessingTask) {
        let work = Task {
            let result = await Result { try await self.compact() }
            switch result {
            case .success:
                task.setTaskCompleted(success: true)
            case .failure(let error) where error is CancellationError:
                task.setTaskCompleted(success: false)
            case .failure(let error):
                Logger.mail.error("compaction failed: \(error)")
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func handleThroughThrowing(_ task: BGProcessingTask) {
        let work = Task {
            do {
                try await run(task)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = work.cancel
    }

    private func run(_ task: BGProcessingTask) async throws {
        try await compact()
        task.setTaskCompleted(success: true)
    }

    func handleWithBridge(_ task: BGProcessingTask) {
        let work = Task {
            await withTaskCancellationHandler {
                let done = await self.compactAll()
                task.setTaskCompleted(success: done)
            } onCancel: {
                Logger.mail.info("cancelled")
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func scheduleNext() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.mail.refresh")
        request.earliestBeginDate = .now + 15 * 60
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            Logger.mail.error("Could not schedule: \(error)")
        }
    }
}
