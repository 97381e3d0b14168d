// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Types that app and scene delegates use to show their first screen. All of them are inert: nothing
// is loaded or drawn, and no method of a controller is called.

/// Something that would be drawn.
@preconcurrency @MainActor
open class UIView: UIResponder {
    open var frame: CGRect
    open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
    open var backgroundColor: UIColor?
    open var tintColor: UIColor?
    open var isHidden = false
    open var alpha: CGFloat = 1
    open var tag = 0
    open var translatesAutoresizingMaskIntoConstraints = true
    open var clipsToBounds = false
    open var isUserInteractionEnabled = true
    open var contentMode = ContentMode.scaleToFill
    open lazy var layer = CALayer()
    open private(set) var subviews: [UIView] = []

    public init(frame: CGRect = .zero) {
        self.frame = frame
        super.init()
    }

    /// There are no archives of views.
    public required init?(coder: NSCoder) {
        nil
    }

    open func addSubview(_ view: UIView) {
        subviews.append(view)
    }
    open func removeFromSuperview() {}
    open func layoutSubviews() {}
    open func setNeedsDisplay() {}

    open func setNeedsLayout() {}
    open func layoutIfNeeded() {}
}

/// A window that is never shown.
@preconcurrency @MainActor
open class UIWindow: UIView {
    open var rootViewController: UIViewController?
    open var windowScene: UIWindowScene?

    public override init(frame: CGRect = .zero) {
        super.init(frame: frame)
    }

    public init(windowScene: UIWindowScene) {
        self.windowScene = windowScene
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func makeKeyAndVisible() {}
    open func makeKey() {}
}

/// The screen of a device without a screen.
@preconcurrency @MainActor
public final class UIScreen: NSObject {
    public static let main = UIScreen()

    public let bounds = CGRect(x: 0, y: 0, width: 390, height: 844)
    public let scale: CGFloat = 1
}

/// A screen of an app. Its view is never loaded.
@preconcurrency @MainActor
open class UIViewController: UIResponder {
    open lazy var view = UIView()
    open var title: String?
    open private(set) var children: [UIViewController] = []
    open private(set) var presentedViewController: UIViewController?
    open lazy var navigationItem = UINavigationItem()
    open var navigationController: UINavigationController? { nil }
    open var isViewLoaded: Bool { false }

    public nonisolated override init() {
        super.init()
    }

    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init()
    }

    /// There are no archives of controllers.
    public required init?(coder: NSCoder) {
        nil
    }

    open func loadView() {}
    open func viewDidLoad() {}
    open func viewWillAppear(_ animated: Bool) {}
    open func viewDidAppear(_ animated: Bool) {}
    open func viewWillDisappear(_ animated: Bool) {}
    open func viewDidDisappear(_ animated: Bool) {}
    open func viewDidLayoutSubviews() {}

    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool,
        completion: (() -> Void)? = nil
    ) {}
    open func dismiss(animated flag: Bool, completion: (() -> Void)? = nil) {}

    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
    open lazy var tabBarItem: UITabBarItem = UITabBarItem(title: nil, image: nil, tag: 0)
    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    open var supportedInterfaceOrientations: UIInterfaceOrientationMask { .allButUpsideDown }
    open func didReceiveMemoryWarning() {}
    open func show(_ vc: UIViewController, sender: Any?) {}
    open func performSegue(withIdentifier identifier: String, sender: Any?) {}

    open func addChild(_ childController: UIViewController) {
        children.append(childController)
    }
}

/// The title of a screen.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
    /// How large a title is.
    public enum LargeTitleDisplayMode: Int, Sendable {
        case automatic, always, never
    }

    open var title: String?
    open var prompt: String?
    open var largeTitleDisplayMode = LargeTitleDisplayMode.automatic
    open var leftBarButtonItem: UIBarButtonItem?
    open var rightBarButtonItem: UIBarButtonItem?
    open var rightBarButtonItems: [UIBarButtonItem]?
    open var titleView: UIView?
}

/// How a controller would be shown.
public enum UIModalPresentationStyle: Int, Sendable {
    case automatic = -2
    case fullScreen = 0
    case pageSheet, formSheet, currentContext, custom, overFullScreen, overCurrentContext, popover
}

/// A stack of screens.
@preconcurrency @MainActor
open class UINavigationController: UIViewController {
    open var viewControllers: [UIViewController] = []

    public nonisolated override init() {
        super.init()
    }

    public init(rootViewController: UIViewController) {
        super.init()
        viewControllers = [rootViewController]
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open var topViewController: UIViewController? { viewControllers.last }
    open lazy var navigationBar = UINavigationBar()
    open func setNavigationBarHidden(_ hidden: Bool, animated: Bool) {}

    /// The one that was last; the first one stays.
    @discardableResult
    open func popViewController(animated: Bool) -> UIViewController? {
        viewControllers.count > 1 ? viewControllers.removeLast() : nil
    }

    open func pushViewController(_ viewController: UIViewController, animated: Bool) {
        viewControllers.append(viewController)
    }
}

/// Several screens beside each other.
@preconcurrency @MainActor
open class UITabBarController: UIViewController {
    open var viewControllers: [UIViewController]?
}

/// Screens in a file, which is never read.
@preconcurrency @MainActor
open class UIStoryboard: NSObject {
    public init(name: String, bundle storyboardBundleOrNil: Bundle?) {
        super.init()
    }

    open func instantiateInitialViewController() -> UIViewController? { nil }
    open func instantiateViewController(withIdentifier identifier: String) -> UIViewController {
        UIViewController()
    }
}

/// A text on the screen.
@preconcurrency @MainActor
open class UILabel: UIView {
    open var text: String?
    open var textColor: UIColor?
    open var numberOfLines = 1
    open var font: UIFont = .systemFont(ofSize: 17)
    open var textAlignment = NSTextAlignment.natural
    open var adjustsFontSizeToFitWidth = false
    open var adjustsFontForContentSizeCategory = false
}

/// A bar that would show progress.
@preconcurrency @MainActor
open class UIProgressView: UIView {
    /// What it looks like.
    public enum Style: Int, Sendable {
        case `default`, bar
    }

    public override init(frame: CGRect = .zero) {
        super.init(frame: frame)
    }

    public convenience init(progressViewStyle style: Style) {
        self.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open var progressTintColor: UIColor?
    open var trackTintColor: UIColor?
    open var progress: Float = 0
    open var observedProgress: Progress?

    open func setProgress(_ progress: Float, animated: Bool) {
        self.progress = progress
    }
}

/// A colour. It has no effect.
public final class UIColor: NSObject, Sendable {
    public static let systemBackground = UIColor()
    public static let label = UIColor()
    public static let secondaryLabel = UIColor()
    public static let white = UIColor()
    public static let black = UIColor()
    public static let gray = UIColor()
    public static let red = UIColor()
    public static let green = UIColor()
    public static let blue = UIColor()
    public static let orange = UIColor()
    public static let clear = UIColor()
    public static let systemBlue = UIColor()
    public static let systemRed = UIColor()
    public static let systemGreen = UIColor()
    public static let systemOrange = UIColor()
    public static let systemYellow = UIColor()
    public static let systemPurple = UIColor()
    public static let systemPink = UIColor()
    public static let systemTeal = UIColor()
    public static let systemIndigo = UIColor()
    public static let systemGray = UIColor()
    public static let systemGray2 = UIColor()
    public static let systemGray3 = UIColor()
    public static let systemGray4 = UIColor()
    public static let systemGray5 = UIColor()
    public static let systemGray6 = UIColor()
    public static let secondarySystemBackground = UIColor()
    public static let tertiarySystemBackground = UIColor()
    public static let systemGroupedBackground = UIColor()
    public static let secondarySystemGroupedBackground = UIColor()
    public static let tertiaryLabel = UIColor()
    public static let separator = UIColor()
    public static let tintColor = UIColor()
    public static let yellow = UIColor()
    public static let purple = UIColor()
    public static let brown = UIColor()
    public static let cyan = UIColor()
    public static let darkGray = UIColor()
    public static let lightGray = UIColor()

    public override init() {
        super.init()
    }

    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        super.init()
    }

    public init(white: CGFloat, alpha: CGFloat) {
        super.init()
    }

    /// There is no catalog of colours.
    public convenience init?(named name: String) {
        return nil
    }

    public func withAlphaComponent(_ alpha: CGFloat) -> UIColor { self }
}
