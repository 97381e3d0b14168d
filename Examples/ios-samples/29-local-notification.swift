//: task com.example.alerts.refresh app-refresh
//: run
//: ends com.example.alerts.refresh completed
//: logs notification new-items: New items | Feed | 3 items wait for you
//: says delivered 1
//: shows --app-name=com.example.alerts --urgency=normal -- New items Feed

import BackgroundTasks
import SwiftUI
import UserNotifications

@main
struct AlertsApp: App {
    @UIApplicationDelegateAdaptor private var appDelegate: AppDelegate

    var body: some Scene {
        WindowGroup { Text("Alerts") }
            .backgroundTask(.appRefresh("com.example.alerts.refresh")) {
                await NotificationManager.shared.notify(count: 3)
            }
    }
}

class AppDelegate: NSObject, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]? = nil
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        let open = UNNotificationAction(identifier: "open", title: "Open", options: [.foreground])
        let category = UNNotificationCategory(
            identifier: "items", actions: [open], intentIdentifiers: [], options: [])
        UNUserNotificationCenter.current().setNotificationCategories([category])
        return true
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions {
        [.banner, .sound]
    }
}

final class NotificationManager: Sendable {
    static let shared = NotificationManager()

    func notify(count: Int) async {
        let center = UNUserNotificationCenter.current()
        do {
            guard try await center.requestAuthorization(options: [.alert, .sound, .badge]) else { return }
            let settings = await center.notificationSettings()
            guard settings.authorizationStatus == .authorized else { return }

            let content = UNMutableNotificationContent()
            content.title = "New items"
            content.subtitle = "Feed"
            content.body = "\(count) items wait for you"
            content.sound = .default
            content.badge = NSNumber(value: count)
            content.categoryIdentifier = "items"
            content.userInfo = ["count": count]

            let request = UNNotificationRequest(
                identifier: "new-items", content: content, trigger: nil)
            try await center.add(request)

            let reminder = UNNotificationRequest(
                identifier: "reminder", content: content,
                trigger: UNTimeIntervalNotificationTrigger(timeInterval: 3600, repeats: false))
            try await center.add(reminder)
            center.removePendingNotificationRequests(withIdentifiers: ["reminder"])
            print("delivered \(await center.deliveredNotifications().count)")
        } catch {
            print(error)
        }
    }
}
