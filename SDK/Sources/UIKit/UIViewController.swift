// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Types that app and scene delegates use to show their first screen. All of them are inert: nothing
// is loaded or drawn, and no method of a controller is called.

/// A window that is never shown.
@preconcurrency @MainActor
open class UIWindow: UIView {
    open var rootViewController: UIViewController?
    open var windowScene: UIWindowScene?

    public override init(frame: CGRect) {
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
    open var isKeyWindow: Bool { false }
    open var overrideUserInterfaceStyle = UIUserInterfaceStyle.unspecified
}

/// The screen of a device without a display.
@preconcurrency @MainActor
public final class UIScreen: NSObject {
    public static let main = UIScreen()

    public let bounds = CGRect(x: 0, y: 0, width: 390, height: 844)
    public let scale: CGFloat = 1
    public let nativeBounds = CGRect(x: 0, y: 0, width: 390, height: 844)
    public let nativeScale: CGFloat = 1
    public let maximumFramesPerSecond = 60
    public var brightness: CGFloat = 1
    public var traitCollection: UITraitCollection { UITraitCollection() }
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
    open var splitViewController: UISplitViewController? { nil }
    open var isViewLoaded: Bool { false }

    public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        super.init()
    }

    /// `init()`, which a subclass inherits or declares without `override`.
    public convenience init(_: Void = ()) {
        self.init(nibName: nil, bundle: nil)
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
    open func showDetailViewController(_ vc: UIViewController, sender: Any?) {}
    open func performSegue(withIdentifier identifier: String, sender: Any?) {}

    open func addChild(_ childController: UIViewController) {
        childController.removeFromParent()
        children.append(childController)
        childController.parent = self
    }
    open func removeFromParent() {
        parent?.children.removeAll { $0 === self }
        parent = nil
    }
    open private(set) weak var parent: UIViewController?
    open func willMove(toParent parent: UIViewController?) {}
    open func didMove(toParent parent: UIViewController?) {}

    // Methods for subclasses. They are never called.

    open var prefersStatusBarHidden: Bool { false }
    open var preferredStatusBarStyle: UIStatusBarStyle { .default }
    open var prefersHomeIndicatorAutoHidden: Bool { false }
    open var shouldAutorotate: Bool { true }
    open var hidesBottomBarWhenPushed = false
    open var isModalInPresentation = false
    open var isEditing = false
    open var definesPresentationContext = false
    open var edgesForExtendedLayout = UIRectEdge.all
    open var extendedLayoutIncludesOpaqueBars = false
    open var automaticallyAdjustsScrollViewInsets = true
    open lazy var editButtonItem = UIBarButtonItem(systemItem: .edit)
    open var preferredContentSize = CGSize.zero
    open var toolbarItems: [UIBarButtonItem]?
    open var contentUnavailableConfiguration: (any UIContentConfiguration)?
    open var modalTransitionStyle = UIModalTransitionStyle.coverVertical
    open func viewIsAppearing(_ animated: Bool) {}
    open func viewWillLayoutSubviews() {}
    open func viewSafeAreaInsetsDidChange() {}
    open func updateViewConstraints() {}
    open func awakeFromNib() {}
    open func prepare(for segue: UIStoryboardSegue, sender: Any?) {}
    open func shouldPerformSegue(withIdentifier identifier: String, sender: Any?) -> Bool { true }
    open func traitCollectionDidChange(_ previousTraitCollection: UITraitCollection?) {}
    open func updateContentUnavailableConfiguration(
        using state: UIContentUnavailableConfigurationState
    ) {}
    open func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
    }
    open func setToolbarItems(_ toolbarItems: [UIBarButtonItem]?, animated: Bool) {
        self.toolbarItems = toolbarItems
    }
    /// Does not call `updateContentUnavailableConfiguration(using:)`.
    public final func setNeedsUpdateContentUnavailableConfiguration() {}
}

/// The title of a screen.
@preconcurrency @MainActor
open class UINavigationItem: NSObject {
    /// The size of a title.
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
    open var leftBarButtonItems: [UIBarButtonItem]?
    open var backButtonTitle: String?
    open var backBarButtonItem: UIBarButtonItem?
    open var hidesBackButton = false
    open var hidesSearchBarWhenScrolling = true
    open var searchController: UISearchController?
    open var standardAppearance: UINavigationBarAppearance?
    open var scrollEdgeAppearance: UINavigationBarAppearance?

    open func setRightBarButton(_ item: UIBarButtonItem?, animated: Bool) {
        rightBarButtonItem = item
    }
    open func setLeftBarButton(_ item: UIBarButtonItem?, animated: Bool) {
        leftBarButtonItem = item
    }
}

/// The presentation of a controller.
public enum UIModalPresentationStyle: Int, Sendable {
    case automatic = -2
    case fullScreen = 0
    case pageSheet, formSheet, currentContext, custom, overFullScreen, overCurrentContext, popover
}

/// A storyboard, which is never read.
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
    open var attributedText: NSAttributedString?
    open var lineBreakMode = NSLineBreakMode.byTruncatingTail
    open var minimumScaleFactor: CGFloat = 0
    open var isEnabled = true
    open var isHighlighted = false
    open var preferredMaxLayoutWidth: CGFloat = 0
    open var shadowColor: UIColor?
    open var shadowOffset = CGSize.zero
}

/// A progress bar.
@preconcurrency @MainActor
open class UIProgressView: UIView {
    /// The style of the bar.
    public enum Style: Int, Sendable {
        case `default`, bar
    }

    public override init(frame: CGRect) {
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
