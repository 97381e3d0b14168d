import BackgroundTasks
import Foundation

/// async/await style, expiration and completion at the wrong moments.
actor Indexer {
    func rebuild() async throws {}
    var documents: [Document] { [] }
    func add(_ document: Document) async {}
}

final class IndexWork {
    let indexer = Indexer()

    func lateAfterAwait(task: BGProcessingTask) async {
        let documents = await indexer.documents
        let work = Task {
            do {
                try await indexer.rebuild()
                task.setTaskCompleted(success: !documents.isEmpty)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }  // expect: expiration-handler-late
    }

    func lateInTask(task: BGProcessingTask) {
        Task {
            task.expirationHandler = { self.stop() }  // expect: expiration-handler-late
            await indexer.add(Document())
            task.setTaskCompleted(success: true)
        }
    }

    func stop() {}

    func completesThenSchedules(task: BGAppRefreshTask) {
        let work = Task {
            do {
                try await indexer.rebuild()
                task.setTaskCompleted(success: true)
                scheduleNext()  // expect: scheduled-after-completion
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func completesTwice(task: BGProcessingTask) {
        let work = Task {
            defer { task.setTaskCompleted(success: true) }  // expect: completed-twice
            do {
                try await indexer.rebuild()
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func noExpiration(task: BGProcessingTask) {  // expect: expiration-handler-missing
        Task {
            try? await indexer.rebuild()
            task.setTaskCompleted(success: true)
        }
    }

    func ignoresExpiration(task: BGProcessingTask) {
        task.expirationHandler = {}  // expect: expiration-does-not-cancel
        Task {
            try? await indexer.rebuild()
            task.setTaskCompleted(success: true)
        }
    }

    func success(task: BGProcessingTask) {
        let work = Task {
            try? await indexer.rebuild()
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = {
            work.cancel()
            task.setTaskCompleted(success: true)  // expect: success-at-expiry
        }
    }

    func blocks(task: BGProcessingTask) {
        task.expirationHandler = { self.stop() }
        let semaphore = DispatchSemaphore(value: 0)
        Task {
            try? await indexer.rebuild()
            semaphore.signal()
        }
        semaphore.wait()  // expect: blocking-work
        task.setTaskCompleted(success: true)
    }

    func sleeps(task: BGProcessingTask) {
        task.expirationHandler = { self.stop() }
        Thread.sleep(forTimeInterval: 2)  // expect: blocking-work
        task.setTaskCompleted(success: true)
    }

    func timer(task: BGProcessingTask) {
        task.expirationHandler = { self.stop() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 28) {  // expect: relies-on-time
            task.setTaskCompleted(success: false)
        }
    }

    func completesBeforeWork(task: BGProcessingTask) {
        task.expirationHandler = { self.stop() }
        Task {
            try await indexer.rebuild()
        }
        task.setTaskCompleted(success: true)  // expect: completed-before-work
    }

    func scheduleNext() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.index")
        request.earliestBeginDate = .now.addingTimeInterval(3600)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule: \(error)")
        }
    }
}
