import BackgroundTasks
import Foundation

/// Keeps the task until its delegate says that the work is over.
final class SyncController: SyncDelegate {
    private var currentTask: BGProcessingTask?
    private let sync = Sync()

    func start(task: BGProcessingTask) {
        task.expirationHandler = { [weak self] in
            self?.sync.cancel()
        }
        currentTask = task
        sync.delegate = self
        sync.start()
    }

    func syncDidFinish(_ sync: Sync) {
        finish(success: true)
    }

    func sync(_ sync: Sync, didFailWith error: any Error) {
        finish(success: false)
    }

    private func finish(success: Bool) {
        currentTask?.setTaskCompleted(success: success)
        currentTask = nil
    }
}

/// Chains callbacks, one for each outcome.
final class Chain {
    func handle(task: BGProcessingTask) {
        let request = Client.shared.request("/items")
        task.expirationHandler = { request.cancel() }
        request
            .onSuccess { _ in task.setTaskCompleted(success: true) }
            .onFailure { _ in task.setTaskCompleted(success: false) }
    }

    func handlePublisher(task: BGProcessingTask) {
        let work = publisher.sink(
            receiveCompletion: { completion in
                if case .failure = completion { task.setTaskCompleted(success: false) }
            },
            receiveValue: { _ in task.setTaskCompleted(success: true) })
        task.expirationHandler = { work.cancel() }
    }
}
