// SPDX-License-Identifier: Apache-2.0

public import Foundation

// What Xcode's template of an app delegate names. No scene is ever connected and no window opened,
// so none of this is ever made.

/// A window that is never opened.
@MainActor
open class UIWindow: UIResponder {}

/// A scene that is never connected.
@MainActor
open class UIScene: UIResponder {
    /// How a scene is connected.
    public final class ConnectionOptions: NSObject {}
}

/// A session of a scene.
@MainActor
open class UISceneSession: NSObject {
    /// What a scene is for.
    public struct Role: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let windowApplication = Role(
            rawValue: "UIWindowSceneSessionRoleApplication")
    }

    public let role = Role.windowApplication
}

/// How a scene is made.
@MainActor
open class UISceneConfiguration: NSObject {
    public let name: String?
    public let role: UISceneSession.Role
    open var delegateClass: AnyClass?

    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
    }
}
