// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
import Synchronization

/// Shows notifications on the desktop, with notify-send(1), if there is a session bus; writes each to
/// the log of the attempt. Thread-safe.
public final class UNUserNotificationCenter: NSObject, Sendable {
    struct State {
        var pending: [String: UNNotificationRequest] = [:]
        var delivered: [UNNotification] = []
        var categories: Set<UNNotificationCategory> = []
        /// The classes of delegates that the log has warned of.
        var reported: Set<ObjectIdentifier> = []
    }

    let state = Mutex(State())
    let runtime: PluginRuntime
    let answerLimit: DispatchTimeInterval
    private let kept = KeptDelegate()

    /// The center of the app.
    public static func current() -> UNUserNotificationCenter {
        centers.current { UNUserNotificationCenter($0) }
    }

    private static let centers = PerRuntime<UNUserNotificationCenter>()

    /// - Parameter answerLimit: The time limit of a delegate's answer to `willPresent`.
    init(_ runtime: PluginRuntime, answerLimit: DispatchTimeInterval = .seconds(5)) {
        self.runtime = runtime
        self.answerLimit = answerLimit
        super.init()
    }

    /// Not retained. Only `willPresent` is called, for notifications that are delivered while the
    /// user uses the app.
    public var delegate: (any UNUserNotificationCenterDelegate)? {
        get { kept.delegate }
        set {
            kept.delegate = newValue
            if let newValue { warn(of: newValue) }
        }
    }

    public var supportsContentExtensions: Bool { false }

    // MARK: permission

    /// Always granted: the user's desktop decides which notifications it shows.
    @preconcurrency
    public func requestAuthorization(
        options: UNAuthorizationOptions = [],
        completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        completionHandler(true, nil)
    }

    /// Always granted: the user's desktop decides which notifications it shows.
    @discardableResult
    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool {
        true
    }

    @preconcurrency
    public func getNotificationSettings(
        completionHandler: @escaping @Sendable (UNNotificationSettings) -> Void
    ) {
        completionHandler(UNNotificationSettings())
    }

    public func notificationSettings() async -> UNNotificationSettings {
        UNNotificationSettings()
    }

    // MARK: requests

    /// Shows it immediately, or when its trigger fires, as long as this process lives; a trigger that
    /// fires between attempts waits for the next one. A pending request with the same identifier is
    /// replaced.
    @preconcurrency
    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        if request.trigger == nil {
            state.withLock { $0.pending[request.identifier] = nil }
            deliver(request)
        } else {
            state.withLock { $0.pending[request.identifier] = request }
            wait(for: request)
        }
        completionHandler?(nil)
    }

    public func add(_ request: UNNotificationRequest) async throws {
        add(request, withCompletionHandler: nil)
    }

    @preconcurrency
    public func getPendingNotificationRequests(
        completionHandler: @escaping @Sendable ([UNNotificationRequest]) -> Void
    ) {
        completionHandler(pending)
    }

    public func pendingNotificationRequests() async -> [UNNotificationRequest] { pending }

    private var pending: [UNNotificationRequest] {
        state.withLock { $0.pending.values.sorted { $0.identifier < $1.identifier } }
    }

    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {
        state.withLock { state in
            for identifier in identifiers { state.pending[identifier] = nil }
        }
    }

    public func removeAllPendingNotificationRequests() {
        state.withLock { $0.pending = [:] }
    }

    // MARK: delivered notifications

    @preconcurrency
    public func getDeliveredNotifications(
        completionHandler: @escaping @Sendable ([UNNotification]) -> Void
    ) {
        completionHandler(state.withLock(\.delivered))
    }

    public func deliveredNotifications() async -> [UNNotification] {
        state.withLock(\.delivered)
    }

    /// Removes them from the list; the desktop continues to show them.
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {
        state.withLock { state in
            state.delivered.removeAll { identifiers.contains($0.request.identifier) }
        }
    }

    /// Removes them from the list; the desktop continues to show them.
    public func removeAllDeliveredNotifications() {
        state.withLock { $0.delivered = [] }
    }

    /// Does nothing: there is no icon.
    @preconcurrency
    public func setBadgeCount(
        _ count: Int,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? =
            nil
    ) {
        completionHandler?(nil)
    }

    /// Does nothing: there is no icon.
    public func setBadgeCount(_ count: Int) async throws {}

    public func setNotificationCategories(_ categories: Set<UNNotificationCategory>) {
        state.withLock { $0.categories = categories }
    }

    @preconcurrency
    public func getNotificationCategories(
        completionHandler: @escaping @Sendable (Set<UNNotificationCategory>) -> Void
    ) {
        completionHandler(state.withLock(\.categories))
    }

    public func notificationCategories() async -> Set<UNNotificationCategory> {
        state.withLock(\.categories)
    }
}

/// The requested permissions.
public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let badge = Self(rawValue: 1 << 0)
    public static let sound = Self(rawValue: 1 << 1)
    public static let alert = Self(rawValue: 1 << 2)
    public static let carPlay = Self(rawValue: 1 << 3)
    public static let criticalAlert = Self(rawValue: 1 << 4)
    public static let providesAppNotificationSettings = Self(rawValue: 1 << 5)
    public static let provisional = Self(rawValue: 1 << 6)
}

/// The authorization status.
public enum UNAuthorizationStatus: Int, Sendable {
    case notDetermined, denied, authorized, provisional, ephemeral
}

/// Whether a kind of presentation is on.
public enum UNNotificationSetting: Int, Sendable {
    case notSupported, disabled, enabled
}

/// The notification settings: everything is permitted.
public final class UNNotificationSettings: NSObject, Sendable {
    public let authorizationStatus = UNAuthorizationStatus.authorized
    public let alertSetting = UNNotificationSetting.enabled
    public let soundSetting = UNNotificationSetting.notSupported
    public let badgeSetting = UNNotificationSetting.notSupported
    public let notificationCenterSetting = UNNotificationSetting.enabled
    public let lockScreenSetting = UNNotificationSetting.notSupported
    public let timeSensitiveSetting = UNNotificationSetting.notSupported
}
