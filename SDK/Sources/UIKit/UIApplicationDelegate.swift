// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The life cycle of an app, as far as it applies to a plugin. Every method has a default: implement
/// those you need.
///
/// A class that is marked `@main` and adopts this is a complete plugin. All methods are called on the
/// main thread: launching once in a process, before the first attempt; the rest while an attempt runs.
@preconcurrency @MainActor
public protocol UIApplicationDelegate: NSObjectProtocol {
    /// The process was started. Called before `didFinishLaunchingWithOptions`.
    func application(
        _ application: UIApplication,
        willFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// The last place to register launch handlers. The options are always nil, and the result is
    /// ignored, as on iOS for apps without a URL to open.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool

    /// A push has arrived: `userInfo` is its payload, or the parameters of a request without a message.
    /// The attempt is completed by calling the handler; the first call counts.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )

    /// The same in its async form; the result completes the attempt, and expiration cancels the Swift
    /// task it runs in. Called if the delegate has no form with a completion handler.
    func application(
        _ application: UIApplication,
        didReceiveRemoteNotification userInfo: [AnyHashable: Any]
    ) async -> UIBackgroundFetchResult

    /// Transfers of a background URL session have finished: a request of a task of kind `transfer`
    /// with the session's identifier. Calling the handler completes the attempt.
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    )

    /// The same in its async form: its return completes the attempt, and expiration cancels the Swift
    /// task it runs in. Called if the delegate has no form with a completion handler.
    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String
    ) async

    /// Never called: bgrun has no device tokens. Send with `bgrun push` or the control socket.
    func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)

    /// Called by `registerForRemoteNotifications` on failure, which does not occur yet.
    func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error)

    /// The place to submit requests. Called when the user has used the app and leaves it: `bgrun open`,
    /// and once when the app is run for the first time.
    func applicationDidEnterBackground(_ application: UIApplication)

    /// Called when the user has used the app (`bgrun open`), before `applicationDidEnterBackground`.
    func applicationWillEnterForeground(_ application: UIApplication)

    /// Called when the user has used the app (`bgrun open`), before `applicationDidEnterBackground`.
    func applicationDidBecomeActive(_ application: UIApplication)

    /// Called when the user has used the app (`bgrun open`), before `applicationDidEnterBackground`.
    func applicationWillResignActive(_ application: UIApplication)

    /// The host ends while an attempt runs: its time is revoked with the reason `shutdown`. As on
    /// iOS, an app without a running attempt is not notified.
    func applicationWillTerminate(_ application: UIApplication)

    /// Never called: memory pressure revokes time.
    func applicationDidReceiveMemoryWarning(_ application: UIApplication)

    /// Called for each task of kind `app-refresh` whose identifier has no launch handler, in an app
    /// that has called `setMinimumBackgroundFetchInterval` by the end of its launch. Calling the
    /// completion handler completes the attempt.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler:
            @escaping @Sendable (UIBackgroundFetchResult) -> Void
    )

    /// Called when the scene is connected, for the class of its delegate.
    func application(
        _ application: UIApplication,
        configurationForConnecting connectingSceneSession: UISceneSession,
        options: UIScene.ConnectionOptions
    ) -> UISceneConfiguration

    /// Never called: no scene is discarded.
    func application(
        _ application: UIApplication,
        didDiscardSceneSessions sceneSessions: Set<UISceneSession>)

    /// Never called: bgrun opens no URL.
    func application(
        _ app: UIApplication, open url: URL,
        options: [UIApplication.OpenURLOptionsKey: Any]
    ) -> Bool
    /// Never called: bgrun does not support activities.
    func application(
        _ application: UIApplication, continue userActivity: NSUserActivity,
        restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
    ) -> Bool
}
