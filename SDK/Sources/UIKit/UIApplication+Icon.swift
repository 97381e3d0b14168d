// SPDX-License-Identifier: Apache-2.0

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
    public var preferredContentSizeCategory: UIContentSizeCategory { .large }
    public var userInterfaceLayoutDirection: UIUserInterfaceLayoutDirection { .leftToRight }
    public func beginReceivingRemoteControlEvents() {}
    public func endReceivingRemoteControlEvents() {}
    public func ignoreSnapshotOnNextApplicationLaunch() {}
    public func requestSceneSessionRefresh(_ sceneSession: UISceneSession) {}
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

extension UIApplicationShortcutItem {
    public convenience init(
        type: String, localizedTitle: String, localizedSubtitle: String?,
        icon: UIApplicationShortcutIcon?, userInfo: [String: any NSSecureCoding]? = nil
    ) {
        self.init(type: type, localizedTitle: localizedTitle)
    }
}

/// A picture beside a shortcut.
@preconcurrency @MainActor
public final class UIApplicationShortcutIcon: NSObject {
    public init(systemImageName: String) {}
    public init(templateImageName: String) {}
}
