//: task com.example.activity.refresh app-refresh
//: run
//: ends com.example.activity.refresh completed
//: says activity done
//: says token ended

import BackgroundTasks
import Foundation
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.activity.refresh", using: nil
        ) { task in
            ProcessInfo.processInfo.performExpiringActivity(withReason: "Write the index") { expired in
                guard !expired else {
                    print("activity expired")
                    return
                }
                autoreleasepool {
                    let start = CFAbsoluteTimeGetCurrent()
                    Thread.sleep(forTimeInterval: 0.01)
                    print("activity done \(CFAbsoluteTimeGetCurrent() > start)")
                }
            }
            let token = ProcessInfo.processInfo.beginActivity(
                options: [.background, .suddenTerminationDisabled], reason: "Upload")
            DispatchQueue.global().async {
                ProcessInfo.processInfo.endActivity(token)
                print("token ended")
                task.setTaskCompleted(success: true)
            }
        }
        return true
    }
}
//: swift 5
