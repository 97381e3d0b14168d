// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
import Synchronization

/// Shows notifications on the desktop, with notify-send(1), where there is a session bus; writes
/// each to the log of the attempt. Any thread.
public final class UNUserNotificationCenter: NSObject, Sendable {
    private struct State {
        var pending: [String: UNNotificationRequest] = [:]
        var delivered: [UNNotification] = []
        var categories: Set<UNNotificationCategory> = []
    }

    /// The maximum number of stored delivered notifications; the oldest are removed first.
    private static let deliveredLimit = 100
    private static let center = UNUserNotificationCenter()
    private let state = Mutex(State())
    private let kept = KeptDelegate()

    /// The one of this process.
    public static func current() -> UNUserNotificationCenter { center }

    private override init() {
        super.init()
    }

    /// Stored, and never called: bgrun does not receive responses to notifications.
    public var delegate: (any UNUserNotificationCenterDelegate)? {
        get { kept.delegate }
        set { kept.delegate = newValue }
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

    /// Shows it immediately, or when its trigger fires, as long as this process lives. A pending
    /// request with the same identifier is replaced.
    @preconcurrency
    public func add(
        _ request: UNNotificationRequest,
        withCompletionHandler completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        if request.trigger == nil {
            deliver(request, .current)
        } else {
            state.withLock { $0.pending[request.identifier] = request }
            wait(for: request, .current)
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

    // MARK: showing

    private func wait(for request: UNNotificationRequest, _ runtime: PluginRuntime) {
        guard let date = request.trigger?.next(after: Date()) else { return }
        runtime.log(
            .info, "notification \(request.identifier) is due at \(date), if the app runs then")
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + max(0, date.timeIntervalSinceNow)
        ) { [self] in
            let isPending = state.withLock { state in
                guard state.pending[request.identifier] === request else { return false }
                if request.trigger?.repeats != true { state.pending[request.identifier] = nil }
                return true
            }
            guard isPending else { return }
            deliver(request, runtime)
            if request.trigger?.repeats == true { wait(for: request, runtime) }
        }
    }

    private func deliver(_ request: UNNotificationRequest, _ runtime: PluginRuntime) {
        let notification = UNNotification(request, date: Date())
        state.withLock { state in
            state.delivered.removeAll { $0.request.identifier == request.identifier }
            state.delivered.append(notification)
            if state.delivered.count > Self.deliveredLimit { state.delivered.removeFirst() }
        }
        let content = request.content
        let lines = [content.subtitle, content.body].filter { !$0.isEmpty }
        runtime.log(
            .info,
            "notification \(request.identifier): "
                + ([content.title].filter { !$0.isEmpty } + lines).joined(separator: " | "))
        let task = runtime.currentTask
        task?.hold()
        DispatchQueue.global(qos: .utility).async {
            Desktop().show(
                app: runtime.appIdentifier ?? "bgrun", title: content.title,
                body: lines.joined(separator: "\n"), urgency: content.interruptionLevel.urgency)
            task?.release()
        }
    }
}

/// The delegate, which the center does not own.
///
/// `@unchecked Sendable`: it is read and changed under the lock only, and never called.
private final class KeptDelegate: @unchecked Sendable {
    private let lock = NSLock()
    private weak var held: (any UNUserNotificationCenterDelegate)?

    var delegate: (any UNUserNotificationCenterDelegate)? {
        get { lock.withLock { held } }
        set { lock.withLock { held = newValue } }
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

/// Whether one way of showing is on.
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

/// Would receive responses to notifications. bgrun calls none of its methods.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping @Sendable (UNNotificationPresentationOptions) -> Void)

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void)

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse) async

    func userNotificationCenter(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?)
}

extension UNUserNotificationCenterDelegate {
    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping @Sendable (UNNotificationPresentationOptions) -> Void
    ) {}

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions { [] }

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {}

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse
    ) async {}

    public func userNotificationCenter(
        _ center: UNUserNotificationCenter, openSettingsFor notification: UNNotification?
    ) {}
}
