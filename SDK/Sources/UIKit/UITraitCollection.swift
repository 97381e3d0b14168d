// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The traits that a view or a controller reads before drawing: a phone in light mode.

/// The traits of the environment of a view.
public final class UITraitCollection: NSObject, Sendable {
    public static var current: UITraitCollection { UITraitCollection() }

    public override init() {
        super.init()
    }

    public convenience init(userInterfaceStyle: UIUserInterfaceStyle) {
        self.init()
    }

    public var userInterfaceStyle: UIUserInterfaceStyle { .light }
    public var userInterfaceIdiom: UIDevice.UserInterfaceIdiom { .unspecified }
    public var horizontalSizeClass: UIUserInterfaceSizeClass { .compact }
    public var verticalSizeClass: UIUserInterfaceSizeClass { .regular }
    public var displayScale: CGFloat { 1 }
    public var preferredContentSizeCategory: UIContentSizeCategory { .large }

    public func hasDifferentColorAppearance(comparedTo: UITraitCollection?) -> Bool { false }
}

/// The available space.
public enum UIUserInterfaceSizeClass: Int, Sendable {
    case unspecified, compact, regular
}

/// The size of text.
public struct UIContentSizeCategory: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let small = Self(rawValue: "UICTContentSizeCategoryS")
    public static let medium = Self(rawValue: "UICTContentSizeCategoryM")
    public static let large = Self(rawValue: "UICTContentSizeCategoryL")
    public static let extraLarge = Self(rawValue: "UICTContentSizeCategoryXL")

    public var isAccessibilityCategory: Bool { false }
    public static let didChangeNotification = NSNotification.Name(
        "UIContentSizeCategoryDidChangeNotification")
}

/// The style of the status bar.
public enum UIStatusBarStyle: Int, Sendable {
    case `default` = 0
    case lightContent = 1
    case darkContent = 3
}

/// The transition of a presented controller.
public enum UIModalTransitionStyle: Int, Sendable {
    case coverVertical, flipHorizontal, crossDissolve, partialCurl
}

/// A transition between screens of a storyboard. Never created.
@preconcurrency @MainActor
open class UIStoryboardSegue: NSObject {
    public let identifier: String?
    public let source: UIViewController
    public let destination: UIViewController

    public init(identifier: String?, source: UIViewController, destination: UIViewController) {
        self.identifier = identifier
        self.source = source
        self.destination = destination
    }
}

extension UIViewController {
    public var traitCollection: UITraitCollection { UITraitCollection() }
    public var tabBarController: UITabBarController? { nil }
    public var presentingViewController: UIViewController? { nil }
    public var viewIfLoaded: UIView? { nil }
    public var isBeingDismissed: Bool { false }
    public var isMovingFromParent: Bool { false }
    /// Loads nothing: `viewDidLoad` is never called.
    public func loadViewIfNeeded() {}
    public func setNeedsStatusBarAppearanceUpdate() {}
    public func setNeedsUpdateOfSupportedInterfaceOrientations() {}
}
