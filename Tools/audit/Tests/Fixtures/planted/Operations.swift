import BackgroundTasks
import Foundation

/// OperationQueue style.
final class OperationHandlers {
    let queue = OperationQueue()
    let requests = Requests()

    func lateExpiration(task: BGProcessingTask) {
        let operation = CleanUpOperation()
        operation.completionBlock = {
            task.setTaskCompleted(success: !operation.isCancelled)
        }
        queue.addOperation(operation)
        task.expirationHandler = {  // expect: expiration-handler-late
            self.queue.cancelAllOperations()
        }
    }

    func completesAtOnce(task: BGProcessingTask) {
        task.expirationHandler = { self.queue.cancelAllOperations() }
        let operation = CleanUpOperation()
        operation.completionBlock = {
            task.setTaskCompleted(success: true)
        }
        queue.addOperation(operation)
        task.setTaskCompleted(success: true)  // expect: completed-twice
    }

    func waits(task: BGProcessingTask) {
        task.expirationHandler = { self.queue.cancelAllOperations() }
        queue.addOperations([CleanUpOperation()], waitUntilFinished: true)  // expect: blocking-work
        task.setTaskCompleted(success: true)
    }

    func neverCompletes(task: BGProcessingTask) {  // expect: completion-on-every-path
        task.expirationHandler = { self.queue.cancelAllOperations() }
        let operation = CleanUpOperation()
        operation.completionBlock = {
            print("done")
        }
        queue.addOperation(operation)
    }

    func loops(task: BGProcessingTask) {
        task.expirationHandler = { self.queue.cancelAllOperations() }
        queue.addOperation {
            var index = 0
            while index < self.requests.count {  // expect: loop-ignores-cancellation
                self.requests.send(index)
                index += 1
            }
            task.setTaskCompleted(success: true)
        }
    }

    func schedulesTooLate(task: BGAppRefreshTask) {
        task.expirationHandler = { self.queue.cancelAllOperations() }
        requests.refresh { success in
            task.setTaskCompleted(success: success)
            let request = BGAppRefreshTaskRequest(identifier: "com.example.requests")
            request.earliestBeginDate = Date() + 300  // expect: earliest-under-15-minutes
            do {
                try BGTaskScheduler.shared.submit(request)  // expect: scheduled-after-completion
            } catch {
                print(error)
            }
        }
    }

    func neverAgain(_ task: BGAppRefreshTask) {  // expect: not-rescheduled
        task.expirationHandler = { self.queue.cancelAllOperations() }
        requests.refresh { success in
            task.setTaskCompleted(success: success)
        }
    }

    func completesBeforeTransfer(_ task: BGProcessingTask) {
        task.expirationHandler = { self.queue.cancelAllOperations() }
        URLSession.shared.dataTask(with: requests.url) { data, _, _ in
            self.requests.save(data)
        }.resume()
        print("requested")
        task.setTaskCompleted(success: true)  // expect: completed-before-work
    }

    func timerDriven(_ task: BGProcessingTask) {
        task.expirationHandler = { self.queue.cancelAllOperations() }
        Timer.scheduledTimer(withTimeInterval: 10, repeats: false) { _ in  // expect: relies-on-time
            task.setTaskCompleted(success: true)
        }
    }
}
