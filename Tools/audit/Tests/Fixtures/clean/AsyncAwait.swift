import BackgroundTasks
import Foundation

enum TaskIdentifier {
    static let refresh = "com.example.news.refresh"
    static let index = "com.example.news.index"
}

final class BackgroundWork: Sendable {
    static let shared = BackgroundWork()
    private let feed = Feed()

    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: TaskIdentifier.refresh, using: nil) {
            task in
            guard let task = task as? BGAppRefreshTask else {
                task.setTaskCompleted(success: false)
                return
            }
            self.refresh(task)
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: TaskIdentifier.index, using: nil, launchHandler: index(task:))
    }

    func refresh(_ task: BGAppRefreshTask) {
        let work = Task {
            do {
                let items = try await feed.latest()
                try Task.checkCancellation()
                try await feed.save(items)
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
        schedule()
    }

    func index(task: BGTask) {
        let work = Task {
            var success = false
            defer { task.setTaskCompleted(success: success) }
            for await batch in feed.batches() {
                if Task.isCancelled { return }
                await feed.index(batch)
            }
            success = true
        }
        task.expirationHandler = {
            work.cancel()
        }
    }

    func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: TaskIdentifier.refresh)
        request.earliestBeginDate = .now.addingTimeInterval(30 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch BGTaskScheduler.Error.unavailable {
            Log.info("background refresh is switched off")
        } catch {
            Log.error("could not schedule: \(error)")
        }
    }
}
