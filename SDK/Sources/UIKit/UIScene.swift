// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import UserNotifications

/// The visible part of an app. Its delegate is notified when the app enters the foreground and the
/// background.
@preconcurrency @MainActor
open class UIScene: UIResponder {
    /// The options of a connection; empty.
    public final class ConnectionOptions: NSObject, Sendable {
        public var urlContexts: Set<UIOpenURLContext> { [] }
        public var userActivities: Set<NSUserActivity> { [] }
        @MainActor public var shortcutItem: UIApplicationShortcutItem? { nil }
        public var notificationResponse: UNNotificationResponse? { nil }
    }

    /// The visibility of a scene.
    public enum ActivationState: Int, Sendable {
        case unattached = -1
        case foregroundActive
        case foregroundInactive
        case background
    }

    public let session: UISceneSession
    open var delegate: (any UISceneDelegate)?
    open internal(set) var activationState = ActivationState.unattached
    open var title = ""

    /// Posted with the scene as the object after the notification of its delegate, as are the next
    /// ones.
    public nonisolated static let willConnectNotification = NSNotification.Name(
        "UISceneWillConnectNotification")
    public nonisolated static let didEnterBackgroundNotification = NSNotification.Name(
        "UISceneDidEnterBackgroundNotification")
    public nonisolated static let willEnterForegroundNotification = NSNotification.Name(
        "UISceneWillEnterForegroundNotification")
    public nonisolated static let didActivateNotification = NSNotification.Name(
        "UISceneDidActivateNotification")
    public nonisolated static let willDeactivateNotification = NSNotification.Name(
        "UISceneWillDeactivateNotification")

    public init(session: UISceneSession, connectionOptions: ConnectionOptions) {
        self.session = session
        super.init()
    }
}

/// A scene with windows, which draw nothing.
@preconcurrency @MainActor
open class UIWindowScene: UIScene {
    open var windows: [UIWindow] { [] }
    open var keyWindow: UIWindow? { nil }
    open var screen: UIScreen { .main }
}

/// A URL a scene is opened with. Never created.
public final class UIOpenURLContext: NSObject, Sendable {
    public let url: URL

    init(_ url: URL) {
        self.url = url
        super.init()
    }
}

/// Receives the life-cycle events of a scene. Every method has a default.
///
/// The object is created when the app enters the foreground or the background for the first time:
/// of the class in the configuration of `application(_:configurationForConnecting:options:)`, else
/// of the class `SceneDelegate` in the module of the app's delegate.
@preconcurrency @MainActor
public protocol UISceneDelegate: NSObjectProtocol {
    func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions)
    func sceneDidDisconnect(_ scene: UIScene)
    func sceneDidBecomeActive(_ scene: UIScene)
    func sceneWillResignActive(_ scene: UIScene)
    func sceneWillEnterForeground(_ scene: UIScene)
    /// The place to submit requests.
    func sceneDidEnterBackground(_ scene: UIScene)
    /// Never called: bgrun opens no URL.
    func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>)
    /// Never called.
    func scene(_ scene: UIScene, continue userActivity: NSUserActivity)
    /// Never called: no state is saved.
    func stateRestorationActivity(for scene: UIScene) -> NSUserActivity?
}

extension UISceneDelegate {
    public func scene(
        _ scene: UIScene, willConnectTo session: UISceneSession,
        options connectionOptions: UIScene.ConnectionOptions
    ) {}
    public func sceneDidDisconnect(_ scene: UIScene) {}
    public func sceneDidBecomeActive(_ scene: UIScene) {}
    public func sceneWillResignActive(_ scene: UIScene) {}
    public func sceneWillEnterForeground(_ scene: UIScene) {}
    public func sceneDidEnterBackground(_ scene: UIScene) {}
    public func scene(_ scene: UIScene, openURLContexts URLContexts: Set<UIOpenURLContext>) {}
    public func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {}
    public func stateRestorationActivity(for scene: UIScene) -> NSUserActivity? { nil }
}

/// The delegate of a scene with windows.
@preconcurrency @MainActor
public protocol UIWindowSceneDelegate: UISceneDelegate {}

extension UIWindowSceneDelegate {
    /// The stored property `window` of the delegate's class; nil if the class does not have it. As
    /// for Apple's optional property, the value is an optional of an optional.
    public var window: UIWindow?? { storedWindow(of: self) }
}

/// Found by name: a property of type `UIWindow?` cannot satisfy a requirement of type `UIWindow??`.
@MainActor
func storedWindow(of object: AnyObject) -> UIWindow?? {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
        if let child = current.children.first(where: { $0.label == "window" }) {
            return .some(child.value as? UIWindow)
        }
        mirror = current.superclassMirror
    }
    return nil
}

/// A session of a scene.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
    /// The purpose of a scene.
    public struct Role: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let windowApplication = Role(
            rawValue: "UIWindowSceneSessionRoleApplication")
    }

    public let role = Role.windowApplication
    public let persistentIdentifier = UUID().uuidString
    /// "Default Configuration" until `application(_:configurationForConnecting:options:)` has
    /// returned one.
    open var configuration: UISceneConfiguration
    /// The connected scene.
    open internal(set) weak var scene: UIScene?
    /// Not stored: nil at each launch.
    open var stateRestorationActivity: NSUserActivity?
    /// Not stored: nil at each launch.
    open var userInfo: [String: Any]?

    init(configuration name: String) {
        configuration = UISceneConfiguration(name: name, sessionRole: role)
        super.init()
    }
}

/// The configuration of a new scene.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    public let name: String?
    public let role: UISceneSession.Role
    open var delegateClass: AnyClass?
    open var sceneClass: AnyClass?

    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
    }
}
