// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

// Properties of the icon and the windows of an app. A plugin has neither.

extension UIApplication {
    /// Stored: a long press on the icon would show them.
    public var shortcutItems: [UIApplicationShortcutItem]? {
        get { shortcuts }
        set { shortcuts = newValue }
    }

    public var openSessions: Set<UISceneSession> { [] }
    public var supportsMultipleScenes: Bool { false }
    public var supportsAlternateIcons: Bool { false }
    public var alternateIconName: String? { nil }

    /// Fails: a plugin has no icon.
    public func setAlternateIconName(
        _ alternateIconName: String?,
        completionHandler: (@MainActor @Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let completionHandler else { return }
        Task { @MainActor in completionHandler(CocoaError(.featureUnsupported)) }
    }

    /// Fails: a plugin has no icon.
    public func setAlternateIconName(_ alternateIconName: String?) async throws {
        throw CocoaError(.featureUnsupported)
    }

    public var preferredContentSizeCategory: UIContentSizeCategory { .large }
    public var userInterfaceLayoutDirection: UIUserInterfaceLayoutDirection { .leftToRight }
    public func beginReceivingRemoteControlEvents() {}
    public func endReceivingRemoteControlEvents() {}
    public func ignoreSnapshotOnNextApplicationLaunch() {}
    public func requestSceneSessionRefresh(_ sceneSession: UISceneSession) {}

    /// Fails, as does the next method; the first failure is logged. The app keeps its one scene.
    public func requestSceneSessionDestruction(
        _ sceneSession: UISceneSession, options: UISceneDestructionRequestOptions?,
        errorHandler: (@MainActor @Sendable (any Error) -> Void)? = nil
    ) {
        rejectSceneRequest("requestSceneSessionDestruction", errorHandler)
    }

    public func requestSceneSessionActivation(
        _ sceneSession: UISceneSession?, userActivity: NSUserActivity?,
        options: UIScene.ActivationRequestOptions?,
        errorHandler: (@MainActor @Sendable (any Error) -> Void)? = nil
    ) {
        rejectSceneRequest("requestSceneSessionActivation", errorHandler)
    }

    private func rejectSceneRequest(
        _ name: String, _ errorHandler: (@MainActor @Sendable (any Error) -> Void)?
    ) {
        if !sceneRequestIsLogged {
            runtime.log(.info, "the app calls \(name), which has no effect: it has one scene")
        }
        sceneRequestIsLogged = true
        guard let errorHandler else { return }
        Task { @MainActor in errorHandler(CocoaError(.featureUnsupported)) }
    }

    /// Calls no handler, and logs that.
    @discardableResult
    public func sendAction(
        _ action: Selector, to target: Any?, from sender: Any?, for event: UIEvent?
    ) -> Bool { false }
}

/// The direction of text.
public enum UIUserInterfaceLayoutDirection: Int, Sendable {
    case leftToRight, rightToLeft
}

/// The removal of a scene.
@preconcurrency @MainActor
open class UISceneDestructionRequestOptions: NSObject {}

/// The removal of a scene with windows.
@preconcurrency @MainActor
open class UIWindowSceneDestructionRequestOptions: UISceneDestructionRequestOptions {
    public enum DismissalAnimation: Int, Sendable {
        case standard = 1
        case commit, decline
    }

    open var windowDismissalAnimation = DismissalAnimation.standard
}

extension UIScene {
    /// The display of a scene.
    @preconcurrency @MainActor
    open class ActivationRequestOptions: NSObject {
        open var requestingScene: UIScene?
    }
}

/// An image beside a shortcut.
@preconcurrency @MainActor
public final class UIApplicationShortcutIcon: NSObject {
    public init(systemImageName: String) {}
    public init(templateImageName: String) {}
}
