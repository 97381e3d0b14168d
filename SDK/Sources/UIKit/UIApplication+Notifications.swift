// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension UIApplication {
    /// The app has finished launching; posted after the delegate was told.
    public nonisolated static let didFinishLaunchingNotification = NSNotification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    /// Posted once in a process, as its first attempt begins.
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    /// Posted in the testing kit only, as are the next two.
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UIApplicationWillEnterForegroundNotification")
    public nonisolated static let didBecomeActiveNotification = NSNotification.Name(
        "UIApplicationDidBecomeActiveNotification")
    public nonisolated static let willResignActiveNotification = NSNotification.Name(
        "UIApplicationWillResignActiveNotification")
    /// Posted when an attempt finds another `backgroundRefreshStatus` than the attempt before it in
    /// this process. It has no user info.
    public nonisolated static let backgroundRefreshStatusDidChangeNotification =
        NSNotification.Name("UIApplicationBackgroundRefreshStatusDidChangeNotification")
}
