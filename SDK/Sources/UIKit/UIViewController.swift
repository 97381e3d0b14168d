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
    open private(set) var subviews: [UIView] = []

    public init(frame: CGRect = .zero) {
        self.frame = frame
        super.init()
    }

    open func addSubview(_ view: UIView) {
        subviews.append(view)
    }

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

    open func addChild(_ childController: UIViewController) {
        children.append(childController)
    }
}

/// The title of a screen.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
    open var title: String?
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
}

/// A bar that would show progress.
@preconcurrency @MainActor
open class UIProgressView: UIView {
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
}
