//: swift 5
//: task com.example.feedsync.refresh app-refresh
//: stay
//: waits waiting for the server
//: expire com.example.feedsync.refresh
//: waits gave up: true
//: ends com.example.feedsync.refresh expired

import BackgroundTasks
import UIKit

/// Waits in the launch handler; only the expiration handler can end the wait.
class FeedSync {
    var isCancelled = false

    func run(_ task: BGAppRefreshTask) {
        let semaphore = DispatchSemaphore(value: 0)
        task.expirationHandler = {
            self.isCancelled = true
            semaphore.signal()
        }
        print("waiting for the server")
        semaphore.wait()
        print("gave up: \(isCancelled)")
        task.setTaskCompleted(success: !isCancelled)
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    let sync = FeedSync()

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.feedsync.refresh", using: nil
        ) { task in
            self.sync.run(task as! BGAppRefreshTask)
        }
        return true
    }
}
