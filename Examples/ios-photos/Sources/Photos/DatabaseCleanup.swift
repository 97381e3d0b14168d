// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import Foundation

/// Removes deleted photos. Uses operations, as in Apple's sample: expiration cancels the queue.
func handleDatabaseCleaning(task: BGProcessingTask) {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1

    let operations = Library.shared.deletedNames.map { name in
        BlockOperation { Library.shared.remove(name) }
    }
    let last = BlockOperation {
        print("cleaned up \(operations.count) photos")
    }
    operations.forEach { last.addDependency($0) }

    task.expirationHandler = {
        queue.cancelAllOperations()
    }
    last.completionBlock = {
        task.setTaskCompleted(success: !last.isCancelled)
    }
    queue.addOperations(operations + [last], waitUntilFinished: false)
}
