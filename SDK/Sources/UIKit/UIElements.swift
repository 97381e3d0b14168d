// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Other elements of a controller. Nothing is shown.

/// A picture.
@preconcurrency @MainActor
open class UIImageView: UIView {
    open var image: UIImage?

    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    public init(image: UIImage?) {
        self.image = image
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        nil
    }
}

/// An activity indicator.
@preconcurrency @MainActor
open class UIActivityIndicatorView: UIView {
    /// The size of the indicator.
    public enum Style: Int, Sendable {
        case medium = 100
        case large = 101
    }

    open var style: Style
    open var color: UIColor?
    open var hidesWhenStopped = true
    open private(set) var isAnimating = false

    public override init(frame: CGRect) {
        style = .medium
        super.init(frame: frame)
    }

    public init(style: Style) {
        self.style = style
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func startAnimating() {
        isAnimating = true
    }

    open func stopAnimating() {
        isAnimating = false
    }
}

/// An alert. No action is called.
@preconcurrency @MainActor
open class UIAlertController: UIViewController {
    /// The presentation of the alert.
    public enum Style: Int, Sendable {
        case actionSheet, alert
    }

    open var message: String?
    public let preferredStyle: Style
    open private(set) var actions: [UIAlertAction] = []
    open private(set) var textFields: [UITextField]?

    public init(title: String?, message: String?, preferredStyle: Style) {
        self.preferredStyle = preferredStyle
        self.message = message
        super.init(nibName: nil, bundle: nil)
        self.title = title
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func addAction(_ action: UIAlertAction) {
        actions.append(action)
    }

    /// Creates the field and calls its configuration handler.
    open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {
        let field = UITextField()
        configurationHandler?(field)
        textFields = (textFields ?? []) + [field]
    }
}

/// A button of an alert.
@preconcurrency @MainActor
public final class UIAlertAction: NSObject {
    /// The style of a button.
    public enum Style: Int, Sendable {
        case `default`, cancel, destructive
    }

    public let title: String?
    public let style: Style

    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {
        self.title = title
        self.style = style
    }
}

/// Shares nothing: there are no recipients.
@preconcurrency @MainActor
open class UIActivityViewController: UIViewController {
    public init(activityItems: [Any], applicationActivities: [Any]?) {
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        nil
    }
}

/// A button of a bar.
@preconcurrency @MainActor
open class UIBarButtonItem: NSObject {
    /// The purpose of a button.
    public enum SystemItem: Int, Sendable {
        case done, cancel, edit, save, add, flexibleSpace, fixedSpace, compose, reply, action
        case organize, bookmarks, search, refresh, stop, camera, trash, play, pause, rewind
        case fastForward, undo, redo
        case close = 24
    }

    open var title: String?
    open var image: UIImage?
    open var isEnabled = true
    open var isHidden = false
    open var tag = 0
    open var tintColor: UIColor?
    open var primaryAction: UIAction?
    open var menu: UIMenu?
    open var customView: UIView?

    public init(
        systemItem: SystemItem, primaryAction: UIAction? = nil, menu: UIMenu? = nil
    ) {
        self.primaryAction = primaryAction
        self.menu = menu
    }

    public init(
        title: String? = nil, image: UIImage? = nil, primaryAction: UIAction? = nil,
        menu: UIMenu? = nil
    ) {
        self.title = title ?? primaryAction?.title
        self.image = image
        self.primaryAction = primaryAction
        self.menu = menu
    }

    public init(customView: UIView) {
        self.customView = customView
    }

    public static func flexibleSpace() -> UIBarButtonItem {
        UIBarButtonItem(systemItem: .flexibleSpace)
    }
    public static func fixedSpace(_ width: CGFloat) -> UIBarButtonItem {
        UIBarButtonItem(systemItem: .fixedSpace)
    }
}

/// A font.
public final class UIFont: NSObject, Sendable {
    /// The weight of a font.
    public struct Weight: RawRepresentable, Hashable, Sendable {
        public let rawValue: CGFloat

        public init(rawValue: CGFloat) {
            self.rawValue = rawValue
        }

        public static let light = Self(rawValue: -0.4)
        public static let regular = Self(rawValue: 0)
        public static let medium = Self(rawValue: 0.23)
        public static let semibold = Self(rawValue: 0.3)
        public static let bold = Self(rawValue: 0.4)
        public static let heavy = Self(rawValue: 0.56)
    }

    /// A size of text.
    public enum TextStyle: Hashable, Sendable {
        case largeTitle, title1, title2, title3, headline, subheadline, body, callout, footnote
        case caption1, caption2
    }

    public let pointSize: CGFloat

    private init(_ size: CGFloat) {
        pointSize = size
        super.init()
    }

    public static func systemFont(ofSize size: CGFloat) -> UIFont { UIFont(size) }
    public static func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { UIFont(size) }
    public static func boldSystemFont(ofSize size: CGFloat) -> UIFont { UIFont(size) }
    public static func monospacedSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont(size)
    }
    public static func monospacedDigitSystemFont(ofSize size: CGFloat, weight: Weight) -> UIFont {
        UIFont(size)
    }
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont(17) }
}

/// Gives no feedback.
@preconcurrency @MainActor
open class UIFeedbackGenerator: NSObject {
    public override init() {
        super.init()
    }

    open func prepare() {}
}

/// Gives no feedback.
public final class UINotificationFeedbackGenerator: UIFeedbackGenerator {
    /// The kind of result.
    public enum FeedbackType: Int, Sendable {
        case success, warning, error
    }

    public func notificationOccurred(_ notificationType: FeedbackType) {}
}

/// Gives no feedback.
public final class UIImpactFeedbackGenerator: UIFeedbackGenerator {
    /// The strength of the feedback.
    public enum FeedbackStyle: Int, Sendable {
        case light, medium, heavy, soft, rigid
    }

    public convenience init(style: FeedbackStyle) {
        self.init()
    }

    public func impactOccurred() {}
}

/// The permitted orientations of the device.
public struct UIInterfaceOrientationMask: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let portrait = Self(rawValue: 1 << 1)
    public static let portraitUpsideDown = Self(rawValue: 1 << 2)
    public static let landscapeRight = Self(rawValue: 1 << 3)
    public static let landscapeLeft = Self(rawValue: 1 << 4)
    public static let landscape: Self = [.landscapeLeft, .landscapeRight]
    public static let all: Self = [.portrait, .landscape, .portraitUpsideDown]
    public static let allButUpsideDown: Self = [.portrait, .landscape]
}

/// The orientation of the device.
public enum UIDeviceOrientation: Int, Sendable {
    case unknown, portrait, portraitUpsideDown, landscapeLeft, landscapeRight, faceUp, faceDown

    public var isLandscape: Bool { self == .landscapeLeft || self == .landscapeRight }
    public var isPortrait: Bool { self == .portrait || self == .portraitUpsideDown }
}

extension UIDevice {
    /// Always unknown.
    public var orientation: UIDeviceOrientation { .unknown }
}

/// Light or dark.
public enum UIUserInterfaceStyle: Int, Sendable {
    case unspecified, light, dark
}

/// An object that would continue an activity.
public protocol UIUserActivityRestoring: NSObjectProtocol {}

/// The type of an activity for a web page.
public let NSUserActivityTypeBrowsingWeb = "NSUserActivityTypeBrowsingWeb"

/// An item of the menu of the app's icon, which bgrun does not show.
@preconcurrency @MainActor
open class UIApplicationShortcutItem: NSObject {
    public let type: String
    public let localizedTitle: String
    public let localizedSubtitle: String?
    public let icon: UIApplicationShortcutIcon?
    public let userInfo: [String: any NSSecureCoding]?

    public init(
        type: String, localizedTitle: String, localizedSubtitle: String?,
        icon: UIApplicationShortcutIcon?, userInfo: [String: any NSSecureCoding]? = nil
    ) {
        self.type = type
        self.localizedTitle = localizedTitle
        self.localizedSubtitle = localizedSubtitle
        self.icon = icon
        self.userInfo = userInfo
    }

    public convenience init(type: String, localizedTitle: String) {
        self.init(type: type, localizedTitle: localizedTitle, localizedSubtitle: nil, icon: nil)
    }
}

/// The values copied by this app; the desktop does not receive them.
@preconcurrency @MainActor
public final class UIPasteboard: NSObject {
    public static let general = UIPasteboard()

    public var string: String?
    public var url: URL?

    public var hasStrings: Bool { string != nil }
}
