// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
import Synchronization

/// Decides whether notifications are shown while the user uses the app. Every method has a default:
/// implement those you need.
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
    /// A notification is delivered while the user uses the app (`bgrun open`). Called on the main
    /// thread. It is shown if the options contain a banner, a list or an alert; not if the handler is
    /// not called within 5 seconds.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
        withCompletionHandler completionHandler:
            @escaping @Sendable (UNNotificationPresentationOptions) -> Void)

    /// The same in its async form. Called if the delegate has no form with a completion handler.
    func userNotificationCenter(
        _ center: UNUserNotificationCenter, willPresent notification: UNNotification
    ) async -> UNNotificationPresentationOptions

    /// Never called, as are the next ones: bgrun does not receive responses to notifications.
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
    ) {
        let asked = AskedDelegate(value: self)
        Task {
            completionHandler(
                await asked.value.userNotificationCenter(center, willPresent: notification))
        }
    }

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

extension UNUserNotificationCenter {
    /// Logs the methods of a delegate that are not called, once for each class.
    func warn(of delegate: any UNUserNotificationCenterDelegate) {
        let type = type(of: delegate)
        let isFirst = state.withLock { $0.reported.insert(ObjectIdentifier(type)).inserted }
        guard isFirst else { return }
        runtime.log(
            .warning,
            "if \(type) has userNotificationCenter(_:didReceive:) or "
                + "userNotificationCenter(_:openSettingsFor:), they are not called under bgrun: the "
                + "desktop does not report to the app what a person does with a notification")
        InheritedDelegate.warn(of: type, "UNUserNotificationCenterDelegate", runtime) {
            $0 is any UNUserNotificationCenterDelegate.Type
        }
    }
}

/// A delegate for calls of its async form.
///
/// `@unchecked Sendable`: as on iOS, that form runs outside the main actor unless it is isolated to
/// it.
private struct AskedDelegate: @unchecked Sendable {
    let value: any UNUserNotificationCenterDelegate
}

/// The delegate, which the center does not own.
///
/// `@unchecked Sendable`: it is read and changed under the lock only, and called on the main thread.
final class KeptDelegate: @unchecked Sendable {
    private let lock = NSLock()
    private weak var held: (any UNUserNotificationCenterDelegate)?

    var delegate: (any UNUserNotificationCenterDelegate)? {
        get { lock.withLock { held } }
        set { lock.withLock { held = newValue } }
    }
}
