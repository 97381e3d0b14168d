//: task com.example.messenger.push push
//: push com.example.messenger.push {"aps": {"content-available": 1}, "thread": {"id": 12, "unread": 3}, "sender": "Ada"}
//: run
//: ends com.example.messenger.push completed new-data
//: says Ada wrote in thread 12
//: says categories: MESSAGE

import UIKit
import UserNotifications

struct PushPayload: Decodable, Sendable {
    struct Thread: Decodable, Sendable { let id: Int, unread: Int }
    let thread: Thread
    let sender: String

    init?(userInfo: [AnyHashable: Any]) {
        guard JSONSerialization.isValidJSONObject(userInfo),
            let data = try? JSONSerialization.data(
                withJSONObject: userInfo, options: [.sortedKeys]),
            let payload = try? JSONDecoder().decode(PushPayload.self, from: data)
        else { return nil }
        self = payload
    }
}

@MainActor
final class NotificationController: NSObject {
    static let shared = NotificationController()

    func configure() {
        let reply = UNTextInputNotificationAction(
            identifier: "REPLY", title: "Reply", options: [.authenticationRequired],
            icon: UNNotificationActionIcon(systemImageName: "arrowshape.turn.up.left"),
            textInputButtonTitle: "Send", textInputPlaceholder: "Message")
        let mute = UNNotificationAction(identifier: "MUTE", title: "Mute", options: .destructive)
        let category = UNNotificationCategory(
            identifier: "MESSAGE", actions: [reply, mute], intentIdentifiers: [],
            hiddenPreviewsBodyPlaceholder: "%u messages", categorySummaryFormat: "%u more messages",
            options: [.customDismissAction])
        let center = UNUserNotificationCenter.current()
        center.delegate = self
        center.setNotificationCategories([category])
    }

    func notify(about payload: PushPayload) async throws {
        let content = UNMutableNotificationContent()
        content.title = payload.sender
        content.body = String.localizedStringWithFormat("%d new messages", payload.thread.unread)
        content.categoryIdentifier = "MESSAGE"
        content.threadIdentifier = "thread-\(payload.thread.id)"
        content.sound = .default
        content.badge = NSNumber(value: payload.thread.unread)
        content.interruptionLevel = .timeSensitive
        content.relevanceScore = 0.8
        content.userInfo = ["thread": payload.thread.id]
        let request = UNNotificationRequest(
            identifier: UUID().uuidString, content: content, trigger: nil)
        try await UNUserNotificationCenter.current().add(request)
    }
}

extension NotificationController: UNUserNotificationCenterDelegate {
    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping (UNNotificationPresentationOptions) -> Void
    ) {
        completionHandler([.banner, .list, .sound, .badge])
    }

    nonisolated func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping () -> Void
    ) {
        defer { completionHandler() }
        let userInfo = response.notification.request.content.userInfo
        switch response.actionIdentifier {
        case "REPLY":
            guard let text = (response as? UNTextInputNotificationResponse)?.userText else {
                return
            }
            print("reply \(text) to \(userInfo["thread"] ?? "unknown")")
        case UNNotificationDefaultActionIdentifier, UNNotificationDismissActionIdentifier:
            break
        default:
            print("action \(response.actionIdentifier)")
        }
    }
}

@main
final class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        NotificationController.shared.configure()
        application.registerForRemoteNotifications()
        if let push = launchOptions?[.remoteNotification] as? [AnyHashable: Any] {
            print("launched by a push with \(push.count) keys")
        }
        return true
    }

    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        let token = deviceToken.reduce("") { $0 + String(format: "%02x", $1) }
        UserDefaults.standard.set(token, forKey: "deviceToken")
    }

    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        guard let payload = PushPayload(userInfo: userInfo) else { return .noData }
        print("\(payload.sender) wrote in thread \(payload.thread.id)")
        do {
            try await NotificationController.shared.notify(about: payload)
        } catch {
            return .failed
        }
        let categories = await UNUserNotificationCenter.current().notificationCategories()
        print("categories: \(categories.map(\.identifier).sorted().joined(separator: ","))")
        return .newData
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        UISceneConfiguration(name: "Default", sessionRole: connectingSceneSession.role)
    }
}
