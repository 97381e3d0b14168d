//: task com.example.reminders.plan app-refresh
//: run
//: ends com.example.reminders.plan completed
//: says Scheduled 2 reminders
//: logs Morning run

import BackgroundTasks
import UIKit
import UserNotifications

enum NotificationIdentifier {
    static let category = "REMINDER"
    static let done = "DONE_ACTION"
    static let snooze = "SNOOZE_ACTION"
    static let reply = "REPLY_ACTION"
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate, UNUserNotificationCenterDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        UNUserNotificationCenter.current().delegate = self
        registerCategories()
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.reminders.plan", using: nil
        ) { task in
            self.plan(task as! BGAppRefreshTask)
        }
        return true
    }

    private func registerCategories() {
        let done = UNNotificationAction(
            identifier: NotificationIdentifier.done, title: "Done",
            options: [.authenticationRequired],
            icon: UNNotificationActionIcon(systemImageName: "checkmark"))
        let snooze = UNNotificationAction(
            identifier: NotificationIdentifier.snooze, title: "Snooze", options: [])
        let reply = UNTextInputNotificationAction(
            identifier: NotificationIdentifier.reply, title: "Reply", options: [],
            textInputButtonTitle: "Send", textInputPlaceholder: "Message")
        let category = UNNotificationCategory(
            identifier: NotificationIdentifier.category, actions: [done, snooze, reply],
            intentIdentifiers: [],
            hiddenPreviewsBodyPlaceholder: "Reminder",
            options: [.customDismissAction, .hiddenPreviewsShowTitle])
        UNUserNotificationCenter.current().setNotificationCategories([category])
    }

    nonisolated func plan(_ task: BGAppRefreshTask) {
        let center = UNUserNotificationCenter.current()
        center.getNotificationSettings { settings in
            guard
                settings.authorizationStatus == .authorized
                    || settings.authorizationStatus == .provisional
            else {
                task.setTaskCompleted(success: true)
                return
            }
            if settings.alertSetting != .enabled { print("alerts are off") }
            if settings.showPreviewsSetting == .never { print("no previews") }

            let content = UNMutableNotificationContent()
            content.title = NSString.localizedUserNotificationString(
                forKey: "Morning run", arguments: nil)
            content.body = "Your route is ready"
            content.sound = UNNotificationSound(named: UNNotificationSoundName("bell.caf"))
            content.badge = 1
            content.categoryIdentifier = NotificationIdentifier.category
            content.threadIdentifier = "runs"
            content.summaryArgument = "Runs"
            content.interruptionLevel = .timeSensitive
            content.userInfo = ["route": 42]
            if let url = Bundle.main.url(forResource: "map", withExtension: "png"),
                let attachment = try? UNNotificationAttachment(
                    identifier: "map", url: url, options: nil)
            {
                content.attachments = [attachment]
            }
            center.add(
                UNNotificationRequest(identifier: UUID().uuidString, content: content, trigger: nil)
            )

            var components = DateComponents()
            components.hour = 8
            components.minute = 30
            let trigger = UNCalendarNotificationTrigger(dateMatching: components, repeats: true)
            let request = UNNotificationRequest(
                identifier: "daily", content: content, trigger: trigger)
            center.add(request) { error in
                if let error = error {
                    print("Error: \(error.localizedDescription)")
                }
                center.getPendingNotificationRequests { requests in
                    print("Scheduled \(requests.count + 1) reminders")
                    task.setTaskCompleted(success: true)
                }
            }
        }
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler([.banner, .sound, .badge])
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        if let text = response as? UNTextInputNotificationResponse {
            print("Reply: \(text.userText)")
        }
        switch response.actionIdentifier {
        case NotificationIdentifier.done, UNNotificationDefaultActionIdentifier: print("done")
        case UNNotificationDismissActionIdentifier: print("dismissed")
        default: break
        }
        completionHandler()
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) {}
}
