// SPDX-License-Identifier: Apache-2.0

import UIKit

class AppDelegate: NSObject, UIApplicationDelegate {
    var saving: UIBackgroundTaskIdentifier = .invalid

    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        application.registerForRemoteNotifications()
        if application.backgroundRefreshStatus == .denied {
            print("background refresh is off")
        }
        return true
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
        guard let city = userInfo["city"] as? String else {
            completionHandler(.noData)
            return
        }
        print("a storm is coming to \(city)")
        saving = application.beginBackgroundTask(withName: "save the warning") {
            application.endBackgroundTask(self.saving)
            self.saving = .invalid
        }
        completionHandler(.newData)
        print("saved the warning for \(city)")
        application.endBackgroundTask(saving)
        saving = .invalid
    }
}
