// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

extension UIApplication {
    /// A key of the options of an opened URL.
    public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// An option of `open`.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let universalLinksOnly = Self(
            rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    }

    public nonisolated static let openSettingsURLString = "app-settings:"
    public nonisolated static let openNotificationSettingsURLString = "app-settings:notifications"

    /// Writes the URL to the log; nothing is opened, and the result is false.
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        recordOpening(url)
        guard let completion else { return }
        Task { @MainActor in completion(false) }
    }

    /// Writes the URL to the log; nothing is opened, and the result is false.
    @discardableResult
    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:]
    ) async -> Bool {
        recordOpening(url)
        return false
    }

    private func recordOpening(_ url: URL) {
        runtime.log(.info, "the app asks to open \(url.absoluteString); bgrun opens nothing")
    }

    /// Always false.
    public func canOpenURL(_ url: URL) -> Bool { false }

    /// Stored, and logged when it changes.
    public var isIdleTimerDisabled: Bool {
        get { keepsScreenOn }
        set {
            if newValue != keepsScreenOn {
                runtime.log(.info, "the app sets isIdleTimerDisabled to \(newValue)")
            }
            keepsScreenOn = newValue
        }
    }

    /// Always true: files are readable.
    public var isProtectedDataAvailable: Bool { true }

    /// Always 0: there is no icon.
    public var applicationIconBadgeNumber: Int {
        get { 0 }
        set { _ = newValue }
    }

    public var windows: [UIWindow] { [] }
    public var keyWindow: UIWindow? { nil }

    /// The host ends while an attempt runs: the app is notified before its expiration handlers are
    /// called.
    func observeShutdown() {
        runtime.add(
            PluginObserver(willExpire: { expiration in
                guard expiration.reason == .shutdown else { return }
                let runtime = PluginRuntime.current
                // Asynchronous: the main thread may be busy for long.
                DispatchQueue.main.async {
                    runtime.withCurrent {
                        MainActor.assumeIsolated {
                            self.delegate?.applicationWillTerminate(self)
                            self.post(Self.willTerminateNotification)
                        }
                    }
                }
            }))
    }
}

// bgrun passes no launch options: every lookup returns nil.
extension UIApplication.LaunchOptionsKey {
    public static let url = Self(rawValue: "UIApplicationLaunchOptionsURLKey")
    public static let sourceApplication = Self(
        rawValue: "UIApplicationLaunchOptionsSourceApplicationKey")
    public static let remoteNotification = Self(
        rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
    public static let location = Self(rawValue: "UIApplicationLaunchOptionsLocationKey")
    public static let shortcutItem = Self(rawValue: "UIApplicationLaunchOptionsShortcutItemKey")
    public static let bluetoothCentrals = Self(
        rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
    public static let userActivityDictionary = Self(
        rawValue: "UIApplicationLaunchOptionsUserActivityDictionaryKey")
}
