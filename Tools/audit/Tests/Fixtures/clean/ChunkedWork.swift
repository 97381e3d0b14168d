import BackgroundTasks
import Foundation

/// Work in pieces, saved after each, that notices when its time is over.
final class Importer {
    private var isExpired = false
    private let lock = NSLock()

    func handle(task: BGProcessingTask) {
        task.expirationHandler = { [weak self] in
            guard let self else { return }
            self.lock.withLock { self.isExpired = true }
        }
        DispatchQueue.global(qos: .background).async { [self] in
            var checkpoint = Checkpoint.load()
            while let batch = checkpoint.nextBatch() {
                if lock.withLock({ isExpired }) { break }
                process(batch)
                checkpoint.save()
            }
            task.setTaskCompleted(success: checkpoint.isAtEnd)
        }
    }

    func handleAsync(task: BGProcessingTask) {
        let work = Task(priority: .background) {
            var isDone = false
            do {
                for batch in Checkpoint.load().batches {
                    try Task.checkCancellation()
                    try await store(batch)
                }
                isDone = true
            } catch {
                print("stopped: \(error)")
            }
            task.setTaskCompleted(success: isDone)
        }
        task.expirationHandler = { work.cancel() }
    }

    func handleNested(task: BGProcessingTask) {
        let session = URLSession.shared
        let request = session.dataTask(with: Source.url) { data, response, error in
            defer { print("request ended") }
            guard let data, error == nil else {
                task.setTaskCompleted(success: false)
                return
            }
            do {
                let items = try JSONDecoder().decode([Item].self, from: data)
                if items.isEmpty {
                    task.setTaskCompleted(success: true)
                } else {
                    self.save(items) { task.setTaskCompleted(success: $0) }
                }
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { request.cancel() }
        request.resume()
    }

    private func save(_ items: [Item], completion: @escaping (Bool) -> Void) {
        context.perform {
            do {
                try self.context.insert(items)
                completion(true)
            } catch {
                completion(false)
            }
        }
    }
}
