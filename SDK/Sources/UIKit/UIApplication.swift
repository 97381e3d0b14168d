// SPDX-License-Identifier: Apache-2.0

@_exported import BGRunConditions
import BGRunPluginRuntime
import Foundation

/// The app that the plugin is.
@MainActor
open class UIApplication: UIResponder {
    /// Where an app is in its life. A plugin's is in the background.
    public enum State: Int, Sendable {
        case active
        case inactive
        case background
    }

    /// A key of launch options. bgrun gives none.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The app of this process.
    public class var shared: UIApplication {
        Applications.application(of: .current)
    }

    /// Told of the app's life. Held as long as the process lives.
    open var delegate: (any UIApplicationDelegate)?

    /// Always `background` but in the testing kit, where people open the app.
    open internal(set) var applicationState = State.background

    /// Told of each change of the state, after the delegate.
    package var stateObservers: [(State) -> Void] = []

    /// What else takes the events of background URL sessions, asked in order, before the delegate.
    package var sessionHandlers: [SessionHandler] = []

    package nonisolated let runtime: PluginRuntime
    nonisolated let assertions = Assertions()
    /// That of the push that is being handled.
    var work = CallbackWork()
    package internal(set) var hasEnteredBackground = false
    private var refreshStatus: UIBackgroundRefreshStatus?

    init(_ runtime: PluginRuntime) {
        self.runtime = runtime
        super.init()
        runtime.add(
            PluginObserver(
                willLaunch: { task in MainThread.run { self.compareRefreshStatus(task) } },
                willExpire: { _ in self.assertions.expire() }))
    }

    // MARK: conditions

    /// Whether app-refresh tasks may be launched: `denied` while the device was in low-power mode
    /// when the current attempt was launched, else `available`. The switch of `bgrun refresh off`
    /// is not told to plugins: where it is off, no app-refresh task is launched at all.
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        Self.status(runtime.currentTask?.readDevice())
    }

    /// Tells when the status is another than that of the attempt before.
    private func compareRefreshStatus(_ task: PluginTask) {
        let before = refreshStatus
        let now = Self.status(task.readDevice())
        refreshStatus = now
        guard let before, before != now else { return }
        NotificationCenter.default.post(
            name: Self.backgroundRefreshStatusDidChangeNotification, object: self)
    }

    private static func status(_ device: PluginDevice?) -> UIBackgroundRefreshStatus {
        device?.isLowPowerModeEnabled == true ? .denied : .available
    }

    // MARK: pushes

    /// Does nothing: `modes: [remote-notification]` in the manifest is what permits pushes. There
    /// is no device token.
    open func registerForRemoteNotifications() {
        isRegisteredForRemoteNotifications = true
    }

    /// Does nothing but to be remembered; pushes come as the manifest says.
    open func unregisterForRemoteNotifications() {
        isRegisteredForRemoteNotifications = false
    }

    /// Whether `registerForRemoteNotifications` was called.
    open private(set) var isRegisteredForRemoteNotifications = false

    /// A line of the host's log, at level error.
    nonisolated func report(_ message: String) {
        runtime.log(.error, message)
    }
}

/// A process has one app; a test that makes a runtime of its own has an app for it.
@MainActor
private enum Applications {
    /// They are few, and live as long as the process.
    private static var all: [UIApplication] = []

    static func application(of runtime: PluginRuntime) -> UIApplication {
        if let known = all.first(where: { $0.runtime === runtime }) { return known }
        let application = UIApplication(runtime)
        all.append(application)
        return application
    }
}
