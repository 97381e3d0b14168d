// SPDX-License-Identifier: Apache-2.0

@_exported import BGRunFoundation
import BGRunPluginRuntime
import Foundation
import Synchronization

/// The app of the plugin.
@preconcurrency @MainActor
open class UIApplication: UIResponder {
    /// The state of an app. A plugin is in the background.
    public enum State: Int, Sendable {
        case active
        case inactive
        case background
    }

    /// A key of launch options. bgrun passes none.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The app of this process. In the Swift 5 language mode any thread may access it, as on iOS.
    public class var shared: UIApplication {
        Applications.application(of: .current)
    }

    /// Receives the app's life-cycle events. Retained as long as the process lives. The log warns of methods
    /// that are not called.
    open var delegate: (any UIApplicationDelegate)? {
        get { keptDelegate.withLock { $0 }.value }
        set {
            let new = DelegateReference(value: newValue)
            let old = keptDelegate.withLock { kept in
                defer { kept = new }
                return kept
            }
            guard let newValue, newValue !== old.value else { return }
            InheritedDelegate.warn(of: type(of: newValue), "UIApplicationDelegate", runtime) {
                $0 is any UIApplicationDelegate.Type
            }
        }
    }

    /// `background`, except while the app is notified that the user has used it (`bgrun open`).
    open internal(set) var applicationState: State {
        get { keptState.withLock { $0 } }
        set {
            keptState.withLock { $0 = newValue }
            runtime.isInForeground = newValue != .background
        }
    }

    /// Called after each change of the state, after the delegate.
    package var stateObservers: [(State) -> Void] = []

    /// Other handlers of background URL sessions, asked in order, before the delegate.
    package var sessionHandlers: [SessionHandler] = []

    package nonisolated let runtime: PluginRuntime
    nonisolated let assertions = Assertions()
    /// Code of the Swift 5 language mode reads these on any thread, as it does `scene`.
    private nonisolated let keptDelegate = Mutex(DelegateReference())
    private nonisolated let keptState = Mutex(State.background)
    /// The work of the push, the fetch or the session's events being handled.
    var work = CallbackWork()
    /// nil until the app has set one; as on iOS, there are no fetches until then.
    var fetchInterval: TimeInterval?
    /// Connected when the app first leaves the state it was launched in. Code of the Swift 5 language mode reads
    /// it on any thread.
    nonisolated let scene = Mutex<UIWindowScene?>(nil)
    var sceneDelegate: (any UISceneDelegate)?
    var keepsScreenOn = false
    /// Stored; there is no indicator.
    public var isNetworkActivityIndicatorVisible = false
    var shortcuts: [UIApplicationShortcutItem]?
    var sceneRequestIsLogged = false
    /// The previous value.
    private var refreshStatus: UIBackgroundRefreshStatus

    init(_ runtime: PluginRuntime) {
        self.runtime = runtime
        refreshStatus = UIApplication.status(runtime.device)
        super.init()
        runtime.add(
            PluginObserver(
                willLaunch: { _ in MainThread.run { self.compareRefreshStatus() } },
                willExpire: { _ in self.assertions.expire() },
                deviceDidChange: {
                    Task { @MainActor in
                        self.runtime.withCurrent { self.compareRefreshStatus() }
                    }
                }))
    }

    // MARK: conditions

    /// Whether app-refresh tasks may be launched: `restricted` and `denied` as set by `bgrun
    /// refresh`, `denied` also while the device is in low-power mode. The latest value from the
    /// host, sent at the launch of the process and of an attempt, and whenever it changes while one
    /// runs.
    open var backgroundRefreshStatus: UIBackgroundRefreshStatus {
        Self.status(runtime.device)
    }

    /// Posted when `backgroundRefreshStatus` changes while an attempt runs, and when it differs at an attempt's
    /// launch from the previous value, initially that at the launch of the process. It has no user info. The
    /// first access creates the application.
    public nonisolated static var backgroundRefreshStatusDidChangeNotification: NSNotification.Name
    {
        _ = Applications.application(of: .current)
        return refreshStatusDidChange
    }

    private nonisolated static let refreshStatusDidChange = NSNotification.Name(
        "UIApplicationBackgroundRefreshStatusDidChangeNotification")

    /// Posts the notification if the status has changed.
    private func compareRefreshStatus() {
        let before = refreshStatus
        let now = Self.status(runtime.device)
        refreshStatus = now
        guard before != now else { return }
        NotificationCenter.default.post(name: Self.refreshStatusDidChange, object: self)
    }

    private static func status(_ device: PluginDevice) -> UIBackgroundRefreshStatus {
        switch device.backgroundRefresh {
        case .restricted: .restricted
        case .denied: .denied
        case .available, nil: device.isLowPowerModeEnabled == true ? .denied : .available
        }
    }

    // MARK: pushes

    /// Does nothing: `modes: [remote-notification]` in the manifest permits pushes. bgrun has no device tokens.
    open func registerForRemoteNotifications() {
        isRegisteredForRemoteNotifications = true
    }

    /// Only stored; pushes depend on the manifest.
    open func unregisterForRemoteNotifications() {
        isRegisteredForRemoteNotifications = false
    }

    /// Whether `registerForRemoteNotifications` was called.
    open private(set) var isRegisteredForRemoteNotifications = false

    /// Writes a line to the host's log, at level error.
    nonisolated func report(_ message: String) {
        runtime.log(.error, message)
    }
}

/// `@unchecked Sendable`: a reference is copied; only the main actor calls its object, or, as on iOS, code of
/// the Swift 5 language mode at its own risk.
private struct DelegateReference: @unchecked Sendable {
    var value: (any UIApplicationDelegate)?
}

/// A process has one app; a test that creates its own runtime has an app for it. The first access
/// may come from any thread: no code here may depend on the main actor.
private enum Applications {
    /// Few objects, which live as long as the process.
    private static let all = Mutex<[UIApplication]>([])
    /// Accessed only by its protocol, so that the call needs no actor.
    private static let maker: any ApplicationMaking = ApplicationMaker()

    static func application(of runtime: PluginRuntime) -> UIApplication {
        all.withLock { all in
            for known in all where known.runtime === runtime { return known }
            let application = maker.application(of: runtime)
            all.append(application)
            return application
        }
    }
}

private protocol ApplicationMaking: Sendable {
    func application(of runtime: PluginRuntime) -> UIApplication
}

/// The conformance is checked by neither the compiler (`@preconcurrency`) nor, as this package is
/// built, at run time. It is sound: the object is new, and `Applications` gives it to one thread.
private struct ApplicationMaker: @preconcurrency ApplicationMaking {
    @MainActor
    func application(of runtime: PluginRuntime) -> UIApplication {
        UIApplication(runtime)
    }
}
