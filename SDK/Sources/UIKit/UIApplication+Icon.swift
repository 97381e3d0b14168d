// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

// What the icon and the windows of an app have. A plugin has neither.

extension UIApplication {
    /// Remembered: a long press on the icon would offer them.
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

    /// Fails, as does the next one; the first is logged. The app keeps its one scene.
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

    /// Calls nothing, and says so.
    @discardableResult
    public func sendAction(
        _ action: Selector, to target: Any?, from sender: Any?, for event: UIEvent?
    ) -> Bool { false }
}

/// In which direction text runs.
public enum UIUserInterfaceLayoutDirection: Int, Sendable {
    case leftToRight, rightToLeft
}

/// How a scene would be removed.
@preconcurrency @MainActor
open class UISceneDestructionRequestOptions: NSObject {}

/// How a scene with windows would be removed.
@preconcurrency @MainActor
open class UIWindowSceneDestructionRequestOptions: UISceneDestructionRequestOptions {
    public enum DismissalAnimation: Int, Sendable {
        case standard = 1
        case commit, decline
    }

    open var windowDismissalAnimation = DismissalAnimation.standard
}

extension UIScene {
    /// How a scene would be shown.
    @preconcurrency @MainActor
    open class ActivationRequestOptions: NSObject {
        open var requestingScene: UIScene?
    }
}

/// A picture beside a shortcut.
@preconcurrency @MainActor
public final class UIApplicationShortcutIcon: NSObject {
    public init(systemImageName: String) {}
    public init(templateImageName: String) {}
}
