// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Controllers that contain others. They keep their lists; nothing is shown and no delegate called.

/// A stack of screens.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
    open var viewControllers: [UIViewController] = []
    open weak var delegate: (any UINavigationControllerDelegate)?
    open lazy var navigationBar = UINavigationBar()
    open var isNavigationBarHidden = false
    open var isToolbarHidden = true
    open var hidesBarsOnSwipe = false
    open var hidesBarsOnTap = false
    open var interactivePopGestureRecognizer: UIGestureRecognizer? { nil }

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public init(rootViewController: UIViewController) {
        super.init(nibName: nil, bundle: nil)
        viewControllers = [rootViewController]
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open var topViewController: UIViewController? { viewControllers.last }
    open var visibleViewController: UIViewController? { topViewController }
    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) {
        isNavigationBarHidden = hidden
    }
    open func setToolbarHidden(_ hidden: Bool, animated: Bool) {
        isToolbarHidden = hidden
    }
    open func setViewControllers(_ viewControllers: [UIViewController], animated: Bool) {
        self.viewControllers = viewControllers
    }

    /// Returns the removed last one; the first one stays.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        viewControllers.count > 1 ? viewControllers.removeLast() : nil
    }

    /// Returns the removed ones after the first.
    @discardableResult
    open func popToRootViewController(animated: Bool) -> [UIViewController]? {
        guard let root = viewControllers.first else { return nil }
        return popToViewController(root, animated: animated)
    }

    /// Returns the removed ones after the given one; nil if it is not in the list.
    @discardableResult
    open func popToViewController(
        _ viewController: UIViewController, animated: Bool
    ) -> [UIViewController]? {
        guard let index = viewControllers.firstIndex(of: viewController) else { return nil }
        let popped = Array(viewControllers[(index + 1)...])
        viewControllers.removeSubrange((index + 1)...)
        return popped
    }

    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        viewControllers.append(viewController)
    }
}

/// Would be notified of the displayed controller. Never called.
@preconcurrency @MainActor
public protocol UINavigationControllerDelegate: NSObjectProtocol {}

/// Several screens beside each other.
@preconcurrency @MainActor
open class UITabBarController: UIViewController {
    open var viewControllers: [UIViewController]?
    open weak var delegate: (any UITabBarControllerDelegate)?
    open lazy var tabBar = UITabBar()
    open var selectedIndex = 0

    /// The controller at `selectedIndex`. Ignores one that is not in the list.
    open var selectedViewController: UIViewController? {
        get {
            guard let controllers = viewControllers, controllers.indices.contains(selectedIndex)
            else { return nil }
            return controllers[selectedIndex]
        }
        set {
            guard let newValue, let index = viewControllers?.firstIndex(of: newValue) else {
                return
            }
            selectedIndex = index
        }
    }

    open func setViewControllers(_ viewControllers: [UIViewController]?, animated: Bool) {
        self.viewControllers = viewControllers
    }
}

/// Would decide whether a tab can be selected. Never called.
@preconcurrency @MainActor
public protocol UITabBarControllerDelegate: NSObjectProtocol {}

/// Screens in pages.
@preconcurrency @MainActor
open class UIPageViewController: UIViewController {
    /// The transition between pages.
    public enum TransitionStyle: Int, Sendable {
        case pageCurl, scroll
    }

    /// The axis of navigation.
    public enum NavigationOrientation: Int, Sendable {
        case horizontal, vertical
    }

    /// The direction of navigation.
    public enum NavigationDirection: Int, Sendable {
        case forward, reverse
    }

    /// A key of the options of a page controller.
    public struct OptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let spineLocation = Self(
            rawValue: "UIPageViewControllerOptionSpineLocationKey")
        public static let interPageSpacing = Self(
            rawValue: "UIPageViewControllerOptionInterPageSpacingKey")
    }

    public let transitionStyle: TransitionStyle
    public let navigationOrientation: NavigationOrientation
    open weak var dataSource: (any UIPageViewControllerDataSource)?
    open weak var delegate: (any UIPageViewControllerDelegate)?
    open private(set) var viewControllers: [UIViewController]?

    public init(
        transitionStyle style: TransitionStyle,
        navigationOrientation: NavigationOrientation, options: [OptionsKey: Any]? = nil
    ) {
        transitionStyle = style
        self.navigationOrientation = navigationOrientation
        super.init(nibName: nil, bundle: nil)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    /// Keeps the controllers and calls the completion at once.
    open func setViewControllers(
        _ viewControllers: [UIViewController]?, direction: NavigationDirection, animated: Bool,
        completion: ((Bool) -> Void)? = nil
    ) {
        self.viewControllers = viewControllers
        completion?(true)
    }
}

/// Would provide neighbouring pages. Never called.
@preconcurrency @MainActor
public protocol UIPageViewControllerDataSource: NSObjectProtocol {
    func pageViewController(
        _ pageViewController: UIPageViewController,
        viewControllerBefore viewController: UIViewController
    ) -> UIViewController?
    func pageViewController(
        _ pageViewController: UIPageViewController,
        viewControllerAfter viewController: UIViewController
    ) -> UIViewController?
}

/// Would be notified of the displayed page. Never called.
@preconcurrency @MainActor
public protocol UIPageViewControllerDelegate: NSObjectProtocol {}
