// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Screens in columns. It keeps them; nothing is shown and no delegate called.
@preconcurrency @MainActor
open class UISplitViewController: UIViewController {
    /// The number of columns.
    public enum Style: Int, Sendable {
        case unspecified, doubleColumn, tripleColumn
    }

    /// A column.
    public enum Column: Int, Sendable {
        case primary, supplementary, secondary, compact
    }

    /// The visible columns.
    public enum DisplayMode: Int, Sendable {
        case automatic, secondaryOnly, oneBesideSecondary, oneOverSecondary, twoBesideSecondary
        case twoOverSecondary, twoDisplaceSecondary
    }

    /// The placement of the other columns beside the secondary one.
    public enum SplitBehavior: Int, Sendable {
        case automatic, tile, overlay, displace
    }

    public static let automaticDimension: CGFloat = -1

    public let style: Style
    private var columns: [Column: UIViewController] = [:]
    private var plain: [UIViewController] = []
    open weak var delegate: (any UISplitViewControllerDelegate)?
    open var preferredDisplayMode = DisplayMode.automatic
    open var displayMode: DisplayMode { preferredDisplayMode }
    open var preferredSplitBehavior = SplitBehavior.automatic
    open var splitBehavior: SplitBehavior { preferredSplitBehavior }
    open var preferredPrimaryColumnWidthFraction = UISplitViewController.automaticDimension
    open var preferredPrimaryColumnWidth = UISplitViewController.automaticDimension
    open var minimumPrimaryColumnWidth = UISplitViewController.automaticDimension
    open var maximumPrimaryColumnWidth = UISplitViewController.automaticDimension
    open var presentsWithGesture = true
    open var showsSecondaryOnlyButton = false
    open var isCollapsed: Bool { false }

    public init(style: Style) {
        self.style = style
        super.init(nibName: nil, bundle: nil)
    }

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        style = .unspecified
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    /// The controllers of the columns in order; for a style without columns, the assigned ones.
    open var viewControllers: [UIViewController] {
        get {
            guard style != .unspecified else { return plain }
            return [Column.primary, .supplementary, .secondary].compactMap { columns[$0] }
        }
        set { plain = newValue }
    }

    open func setViewController(_ vc: UIViewController?, for column: Column) {
        columns[column] = vc
    }

    open func viewController(for column: Column) -> UIViewController? { columns[column] }
    open func show(_ column: Column) {}
    open func hide(_ column: Column) {}

    /// Replaces the controller of the secondary column.
    open override func showDetailViewController(_ vc: UIViewController, sender: Any?) {
        guard style == .unspecified else { return setViewController(vc, for: .secondary) }
        plain = plain.prefix(1) + [vc]
    }
}

/// Would be notified of the visible columns. Never called.
@preconcurrency @MainActor
public protocol UISplitViewControllerDelegate: AnyObject {
    func splitViewController(
        _ svc: UISplitViewController,
        topColumnForCollapsingToProposedTopColumn proposedTopColumn: UISplitViewController.Column
    ) -> UISplitViewController.Column
}

extension UISplitViewControllerDelegate {
    public func splitViewController(
        _ svc: UISplitViewController,
        topColumnForCollapsingToProposedTopColumn proposedTopColumn: UISplitViewController.Column
    ) -> UISplitViewController.Column { proposedTopColumn }
}
