//: task com.example.colorfeed.refresh app-refresh
//: task com.example.colorfeed.db_cleaning processing
//: run
//: ends com.example.colorfeed.refresh completed
//: ends com.example.colorfeed.db_cleaning completed
//: says Fetched 5 new feed entries
//: says Deleted old feed entries
//: pending com.example.colorfeed.refresh

import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // MARK: Registering Launch Handlers for Tasks
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.refresh", using: nil
        ) { task in
            // Downcast the parameter to an app refresh task as this identifier is used for a refresh request.
            self.handleAppRefresh(task: task as! BGAppRefreshTask)
        }

        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.colorfeed.db_cleaning", using: nil
        ) { task in
            self.handleDatabaseCleaning(task: task as! BGProcessingTask)
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
        scheduleDatabaseCleaningIfNeeded()
    }

    // MARK: - Scheduling Tasks

    nonisolated func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.colorfeed.refresh")
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)  // Fetch no earlier than 15 minutes from now

        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    func scheduleDatabaseCleaningIfNeeded() {
        let lastCleanDate = UserDefaults.standard.object(forKey: "lastClean") as? Date ?? .distantPast
        let oneWeek = TimeInterval(7 * 24 * 60 * 60)
        guard Date() > lastCleanDate + oneWeek else { return }

        let request = BGProcessingTaskRequest(identifier: "com.example.colorfeed.db_cleaning")
        request.requiresNetworkConnectivity = false
        request.requiresExternalPower = true

        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule database cleaning: \(error)")
        }
    }

    // MARK: - Handling Launch for Tasks

    // Fetch the latest feed entries from server.
    nonisolated func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()

        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1

        let operations = (1...5).map { number in
            BlockOperation { print("Entry \(number)") }
        }
        let lastOperation = operations.last!

        task.expirationHandler = {
            // After all operations are cancelled, the completion block below is called to set the task to complete.
            queue.cancelAllOperations()
        }

        lastOperation.completionBlock = {
            print("Fetched \(operations.count) new feed entries")
            task.setTaskCompleted(success: !lastOperation.isCancelled)
        }

        queue.addOperations(operations, waitUntilFinished: false)
    }

    // Delete feed entries older than one day.
    nonisolated func handleDatabaseCleaning(task: BGProcessingTask) {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1

        let cleanDatabaseOperation = BlockOperation {
            print("Deleted old feed entries")
        }

        task.expirationHandler = {
            queue.cancelAllOperations()
        }

        cleanDatabaseOperation.completionBlock = {
            let success = !cleanDatabaseOperation.isCancelled
            task.setTaskCompleted(success: success)
        }

        queue.addOperation(cleanDatabaseOperation)
    }
}
