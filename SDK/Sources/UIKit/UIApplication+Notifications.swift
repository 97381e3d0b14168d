// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UIApplication {
    /// The app has finished launching; posted after the notification of the delegate.
    public nonisolated static let didFinishLaunchingNotification = NSNotification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    /// Posted when the user has used the app and leaves it (`bgrun open`), as are the next three.
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UIApplicationWillEnterForegroundNotification")
    public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
        "UIApplicationDidBecomeActiveNotification")
    public nonisolated static let willResignActiveNotification = NSNotification.Name(
        "UIApplicationWillResignActiveNotification")
    /// Posted when the host ends while an attempt runs.
    public nonisolated static let willTerminateNotification = NSNotification.Name(
        "UIApplicationWillTerminateNotification")
    /// Never posted, as are the next ones.
    public nonisolated static let didReceiveMemoryWarningNotification = NSNotification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")
    public nonisolated static let significantTimeChangeNotification = NSNotification.Name(
        "UIApplicationSignificantTimeChangeNotification")
    public nonisolated static let protectedDataDidBecomeAvailableNotification =
        NSNotification.Name("UIApplicationProtectedDataDidBecomeAvailable")
    public nonisolated static let protectedDataWillBecomeUnavailableNotification =
        NSNotification.Name("UIApplicationProtectedDataWillBecomeUnavailable")
    public nonisolated static let userDidTakeScreenshotNotification = NSNotification.Name(
        "UIApplicationUserDidTakeScreenshotNotification")
}
