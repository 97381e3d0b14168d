//: task com.example.oslog.clean processing
//: run
//: ends com.example.oslog.clean completed
//: logs [clean] Removed 12 of 40 files (30.0 %) in /tmp
//: logs [clean] secret <private>

import BackgroundTasks
import Foundation
import UIKit
import os.log

private let log = OSLog(subsystem: "com.example.oslog", category: "clean")

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    var window: UIWindow?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let registered = BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.oslog.clean", using: nil
        ) { task in
            let directory = "/tmp"
            os_log("Removed %d of %ld files (%.1f %%) in %{public}@", log: log, type: .info, 12, 40, 30.0, directory)
            os_log(.error, log: log, "secret %{private}s", "1234")
            os_log("finished", log: log)
            task.setTaskCompleted(success: true)
        }
        os_log("registered: %@", log: .default, type: .debug, "\(registered)")
        return true
    }
}
