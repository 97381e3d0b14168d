//: task com.example.doses.remind app-refresh
//: run
//: ends com.example.doses.remind completed
//: says categories: DOSE

import BackgroundTasks
import UIKit
import UserNotifications

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let center = UNUserNotificationCenter.current()
        let accept = UNNotificationAction(
            identifier: "ACCEPT", title: "Accept", options: UNNotificationActionOptions(rawValue: 0))
        let options: UNNotificationCategoryOptions = .customDismissAction
        let category = UNNotificationCategory(
            identifier: "DOSE", actions: [accept], intentIdentifiers: [],
            hiddenPreviewsBodyPlaceholder: "", options: options)
        center.setNotificationCategories([category])
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.doses.remind", using: nil) { task in
            center.getNotificationCategories { categories in
                print("categories: \(categories.map(\.identifier).joined())")
                task.setTaskCompleted(success: true)
            }
        }
        return true
    }
}
