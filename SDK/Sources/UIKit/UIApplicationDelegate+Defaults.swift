// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UIApplicationDelegate {
    public func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        true
    }

    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        true
    }

    public func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        application.receive(completionHandler) {
            await self.application(application, didReceiveRemoteNotification: userInfo)
        }
    }

    /// Not isolated to the main actor: in an app of the Swift 5 language mode a conformance would warn of the
    /// payload, which is not `Sendable`.
    public nonisolated(nonsending) func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult {
        application.report(
            "\(Self.self) does not handle pushes. Implement "
                + "application(_:didReceiveRemoteNotification:fetchCompletionHandler:)."
        )
        return .failed
    }

    public func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        application.run(
            {
                await self.application(
                    application, handleEventsForBackgroundURLSession: identifier)
            }, then: completionHandler)
    }

    public func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String
    ) async {}

    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {}

    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {}

    public func applicationDidEnterBackground(_ application: UIApplication) {}
    public func applicationWillEnterForeground(_ application: UIApplication) {}
    public func applicationDidBecomeActive(_ application: UIApplication) {}
    public func applicationWillResignActive(_ application: UIApplication) {}

    public func applicationWillTerminate(_ application: UIApplication) {}
    public func applicationDidReceiveMemoryWarning(_ application: UIApplication) {}

    public func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    ) {
        application.report(
            "\(Self.self) does not fetch. Implement this method, or register a launch handler.")
        completionHandler(.failed)
    }

    public func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration {
        connectingSceneSession.configuration
    }

    public func application(
        _ application: UIApplication,
        didDiscardSceneSessions sceneSessions: Set<UISceneSession>
    ) {}

    public func application(
        _ app: UIApplication, open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool {
        false
    }
    public func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool { false }
}
