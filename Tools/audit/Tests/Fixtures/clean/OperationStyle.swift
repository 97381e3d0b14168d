import BackgroundTasks
import Foundation

/// Operations that know their task, and queues that finish with a barrier.
final class UploadOperation: Operation, @unchecked Sendable {
    private let task: BGProcessingTask

    init(task: BGProcessingTask) {
        self.task = task
        super.init()
        task.expirationHandler = { [weak self] in self?.cancel() }
    }

    override func main() {
        for chunk in Upload.chunks {
            if isCancelled { break }
            Upload.send(chunk)
        }
        task.setTaskCompleted(success: !isCancelled)
    }
}

final class OperationHandlers {
    private let queue = OperationQueue()

    func upload(_ task: BGProcessingTask) {
        queue.addOperation(UploadOperation(task: task))
    }

    func refresh(_ task: BGProcessingTask) {
        let operations = [FetchOperation(), ParseOperation(), SaveOperation()]
        for (earlier, later) in zip(operations, operations.dropFirst()) {
            later.addDependency(earlier)
        }
        task.expirationHandler = { [queue] in queue.cancelAllOperations() }
        queue.addOperations(operations, waitUntilFinished: false)
        queue.addBarrierBlock {
            task.setTaskCompleted(success: !operations.contains { $0.isCancelled })
        }
    }

    func group(_ task: BGProcessingTask) {
        let group = DispatchGroup()
        let sources = Source.all
        task.expirationHandler = { sources.forEach { $0.cancel() } }
        for source in sources {
            group.enter()
            source.load { _ in group.leave() }
        }
        group.notify(queue: .global()) {
            task.setTaskCompleted(success: true)
        }
    }
}

/// A second task waits for the first, and completes.
final class TwoTasks {
    func handle(task: BGAppRefreshTask) {
        schedule()
        guard UserDefaults.standard.bool(forKey: "isRunning") else {
            task.setTaskCompleted(success: true)
            return
        }
        let search = Task {
            await Search.shared.run()
        }
        task.expirationHandler = {
            search.cancel()
            print("expired")
        }
        Task {
            await search.value
            task.setTaskCompleted(success: true)
        }
    }

    func awaited(task: BGAppRefreshTask) async {
        schedule()
        task.expirationHandler = { Search.shared.cancel() }
        Task { @MainActor in Banner.shared.show() }
        DispatchQueue.main.async { Banner.shared.update() }
        let work = Task { await Search.shared.run() }
        await work.value
        task.setTaskCompleted(success: true)
    }

    func counting(task: BGAppRefreshTask) {
        schedule()
        let operation = BlockOperation {
            var sum = 0
            for number in 1...1000 {
                sum += number
                if sum % 100 == 0 { print("at \(sum)") }
            }
        }
        task.expirationHandler = { operation.cancel() }
        operation.completionBlock = { task.setTaskCompleted(success: !operation.isCancelled) }
        let queue = OperationQueue()
        queue.addOperation(operation)
    }

    func steps(task: BGAppRefreshTask) {
        schedule()
        let query = Steps.shared.query()
        task.expirationHandler = { query.stop() }
        query.run { steps, error in
            if let error {
                print("no steps: \(error)")
                task.setTaskCompleted(success: false)
                return
            }
            guard steps < 10_000 else {
                task.setTaskCompleted(success: true)
                return
            }
            Notifications.shared.remind(of: steps)
            task.setTaskCompleted(success: true)
        }
    }
}
