// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Bars, which are not drawn.

/// The bar at the top.
@preconcurrency @MainActor
open class UINavigationBar: UIView {
    open var prefersLargeTitles = false
    open var barTintColor: UIColor?
    open var isTranslucent = true
    open var titleTextAttributes: [NSAttributedString.Key: Any]?
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any]?
    open var shadowImage: UIImage?
    open var standardAppearance = UINavigationBarAppearance()
    open var compactAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?

    private static let proxy = UINavigationBar()

    /// The appearance of all bars.
    public static func appearance() -> UINavigationBar { proxy }
}

/// The bar at the bottom.
@preconcurrency @MainActor
open class UITabBar: UIView {
    open var items: [UITabBarItem]?
    open var barTintColor: UIColor?
    open var unselectedItemTintColor: UIColor?
    open var isTranslucent = true
    open var standardAppearance = UITabBarAppearance()
    open var scrollEdgeAppearance: UITabBarAppearance?

    private static let proxy = UITabBar()

    /// The appearance of all bars.
    public static func appearance() -> UITabBar { proxy }
}

/// An item of the bar at the bottom.
@preconcurrency @MainActor
open class UITabBarItem: NSObject {
    open var title: String?
    open var image: UIImage?
    open var selectedImage: UIImage?
    open var tag = 0
    open var isEnabled = true
    open var badgeValue: String?
    open var badgeColor: UIColor?

    public init(title: String?, image: UIImage?, tag: Int) {
        self.title = title
        self.image = image
        self.tag = tag
    }

    public init(title: String?, image: UIImage?, selectedImage: UIImage?) {
        self.title = title
        self.image = image
        self.selectedImage = selectedImage
    }
}

/// The appearance of a bar.
@preconcurrency @MainActor
open class UIBarAppearance: NSObject {
    open var backgroundColor: UIColor?
    open var backgroundImage: UIImage?
    open var shadowColor: UIColor?
    open var shadowImage: UIImage?

    open func configureWithDefaultBackground() {}
    open func configureWithOpaqueBackground() {}
    open func configureWithTransparentBackground() {}
}

/// The appearance of the top bar.
open class UINavigationBarAppearance: UIBarAppearance {
    open var titleTextAttributes: [NSAttributedString.Key: Any] = [:]
    open var largeTitleTextAttributes: [NSAttributedString.Key: Any] = [:]
}

/// The appearance of the bottom bar.
open class UITabBarAppearance: UIBarAppearance {}
