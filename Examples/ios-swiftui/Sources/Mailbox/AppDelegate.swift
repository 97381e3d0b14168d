// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import UIKit

/// A UIKit app, written for iOS.
@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    private let refreshIdentifier = "com.example.mailbox.refresh"
    private var sessionCompletionHandler: (() -> Void)?
    private var powerObserver: (any NSObjectProtocol)?

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: refreshIdentifier, using: .main) {
            self.handleAppRefresh(task: $0 as! BGAppRefreshTask)
        }
        powerObserver = NotificationCenter.default.addObserver(
            forName: .NSProcessInfoPowerStateDidChange, object: nil, queue: nil
        ) { _ in
            print("low power mode: \(ProcessInfo.processInfo.isLowPowerModeEnabled)")
        }
        return true
    }

    func applicationDidEnterBackground(_ application: UIApplication) {
        scheduleAppRefresh()
    }

    func scheduleAppRefresh() {
        let request = BGAppRefreshTaskRequest(identifier: refreshIdentifier)
        request.earliestBeginDate = Date(timeIntervalSinceNow: 15 * 60)
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule app refresh: \(error)")
        }
    }

    func handleAppRefresh(task: BGAppRefreshTask) {
        scheduleAppRefresh()
        let fetch = Task {
            let mails = await fetchMail()
            task.setTaskCompleted(success: mails > 0)
        }
        task.expirationHandler = { fetch.cancel() }
    }

    private func fetchMail() async -> Int {
        print("fetched 3 mails")
        return 3
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        let fetched = await fetchMail()
        return fetched > 0 ? .newData : .noData
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        sessionCompletionHandler = completionHandler
    }
}
