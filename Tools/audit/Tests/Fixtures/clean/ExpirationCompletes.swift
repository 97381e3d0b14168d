import BackgroundTasks
import Foundation

/// The expiration handler completes the task; the cancelled work then says nothing more.
struct Maintenance {
    let database = Database()

    func handle(_ task: BGProcessingTask) {
        let work = Task {
            do {
                for table in database.tables {
                    guard !Task.isCancelled else { return }
                    try await database.vacuum(table)
                }
                task.setTaskCompleted(success: true)
            } catch is CancellationError {
                print("cancelled")
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = {
            work.cancel()
            task.setTaskCompleted(success: false)
        }
    }

    func handleOnce(_ task: BGProcessingTask) {
        var finished = false
        func finish(_ success: Bool) {
            guard !finished else { return }
            finished = true
            task.setTaskCompleted(success: success)
        }
        task.expirationHandler = {
            database.interrupt()
            finish(false)
        }
        database.compact { error in
            finish(error == nil)
        }
    }

    func handleWithFlag(_ task: BGProcessingTask) {
        var isExpired = false
        task.expirationHandler = {
            isExpired = true
            task.setTaskCompleted(success: false)
        }
        database.queue.async {
            for table in database.tables {
                if isExpired { return }
                database.analyze(table)
            }
            task.setTaskCompleted(success: true)
        }
    }

    func handleResult(_ task: BGProcessingTask) {
        task.expirationHandler = { database.interrupt() }
        database.export { result in
            switch result {
            case .success(let count):
                print("exported \(count)")
                task.setTaskCompleted(success: true)
            case .failure(let error):
                print("failed: \(error)")
                task.setTaskCompleted(success: false)
            }
        }
    }
}
