//: task com.example.import.run processing manual
//: stay
//: trigger com.example.import.run
//: waits import began
//: expire com.example.import.run
//: waits import stopped after its batch
//: ends com.example.import.run expired

import BackgroundTasks
import UIKit

final class ImportOperation: Operation, @unchecked Sendable {
    override func main() {
        print("import began")
        while !isCancelled {
            Thread.sleep(forTimeInterval: 0.002)
        }
        print("import stopped after its batch")
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.import.run", using: nil
        ) { task in
            self.handleImport(task: task as! BGProcessingTask)
        }
        return true
    }

    nonisolated func handleImport(task: BGProcessingTask) {
        let queue = OperationQueue()
        let operation = ImportOperation()

        task.expirationHandler = {
            queue.cancelAllOperations()
        }
        operation.completionBlock = {
            task.setTaskCompleted(success: !operation.isCancelled)
        }
        queue.addOperation(operation)
    }
}
