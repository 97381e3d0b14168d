//: task com.example.tickets.refresh app-refresh
//: run
//: ends com.example.tickets.refresh completed
//: says configuration: Default Configuration
//: says the scene has a window: true
//: says posted: active true
//: says posted: background
//: says alerts are banners: true
//: says the icon is unchanged

import BackgroundTasks
import UIKit
import UserNotifications

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        application.shortcutItems = [
            UIApplicationShortcutItem(
                type: "com.example.tickets.scan", localizedTitle: "Scan",
                localizedSubtitle: "A new ticket",
                icon: UIApplicationShortcutIcon(systemImageName: "qrcode"),
                userInfo: ["camera": "back" as NSString])
        ]
        _ = NotificationCenter.default.addObserver(
            forName: UIScene.didActivateNotification, object: nil, queue: nil
        ) { notification in
            print("posted: active \(notification.object is UIWindowScene)")
        }
        _ = NotificationCenter.default.addObserver(
            forName: UIScene.didEnterBackgroundNotification, object: nil, queue: nil
        ) { _ in
            print("posted: background")
        }
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.tickets.refresh", using: nil
        ) { task in
            let work = Task {
                await Reminders.set()
                task.setTaskCompleted(success: true)
            }
            task.expirationHandler = { work.cancel() }
        }
        return true
    }

    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        let configuration = UISceneConfiguration(
            name: connectingSceneSession.configuration.name,
            sessionRole: connectingSceneSession.role)
        configuration.delegateClass = SceneDelegate.self
        print("configuration: \(configuration.name ?? "none")")
        return configuration
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String
    ) async {
        print("the transfers of \(identifier) have ended")
    }
}

class SceneDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?

    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {
        guard let windowScene = scene as? UIWindowScene else { return }
        window = UIWindow(windowScene: windowScene)
        window?.rootViewController = UIViewController()
        window?.makeKeyAndVisible()
        if let response = connectionOptions.notificationResponse {
            print("opened from \(response.notification.request.identifier)")
        }
    }

    func sceneDidBecomeActive(_ scene: UIScene) {
        let window = (scene.delegate as? UIWindowSceneDelegate)?.window
        print("the scene has a window: \(window??.rootViewController != nil)")
        UIApplication.shared.setAlternateIconName("Dark") { error in
            print("the icon is \(error == nil ? "dark" : "unchanged")")
        }
        UIApplication.shared.requestSceneSessionDestruction(
            scene.session, options: nil, errorHandler: { print($0.localizedDescription) })
    }
}

enum Reminders {
    static func set() async {
        let center = UNUserNotificationCenter.current()
        do {
            try await center.requestAuthorization(options: [.alert, .sound, .criticalAlert])
        } catch {
            print("no notifications: \(error)")
        }
        let settings = await center.notificationSettings()
        print("alerts are banners: \(settings.alertStyle == .banner)")
        center.setNotificationCategories([
            UNNotificationCategory(
                identifier: "TICKET", actions: [], intentIdentifiers: [],
                hiddenPreviewsBodyPlaceholder: "A ticket",
                categorySummaryFormat: "%u more tickets", options: [])
        ])
        let content = UNMutableNotificationContent()
        content.title = "The gate opens"
        content.categoryIdentifier = "TICKET"
        content.sound = .criticalSoundNamed(UNNotificationSoundName("gong.caf"))
        if content.interruptionLevel == .critical {
            content.sound = .defaultCriticalSound(withAudioVolume: 0.5)
        }
        let request = UNNotificationRequest(
            identifier: "gate", content: content,
            trigger: UNTimeIntervalNotificationTrigger(timeInterval: 3600, repeats: false))
        print("remote: \(request.trigger is UNPushNotificationTrigger)")
        try? await center.add(request)
    }
}
