// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Lists, which show nothing: no data source is called.

/// A list of rows.
@preconcurrency @MainActor
open class UITableView: UIScrollView {
    /// The style of a list.
    public enum Style: Int, Sendable {
        case plain, grouped, insetGrouped
    }

    /// The animation of inserted and deleted rows.
    public enum RowAnimation: Int, Sendable {
        case fade, right, left, top, bottom, none, middle
        case automatic = 100
    }

    public static let automaticDimension: CGFloat = -1

    public let style: Style
    open weak var dataSource: (any UITableViewDataSource)?
    open weak var delegate: (any UITableViewDelegate)?
    open weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
    open var rowHeight = UITableView.automaticDimension
    open var estimatedRowHeight = UITableView.automaticDimension
    open var tableHeaderView: UIView?
    open var tableFooterView: UIView?
    open var allowsSelection = true
    open var allowsMultipleSelection = false
    open var separatorStyle = UITableViewCell.SeparatorStyle.singleLine
    open var separatorColor: UIColor?
    open var separatorInset = UIEdgeInsets.zero
    open var sectionHeaderHeight = UITableView.automaticDimension
    open var sectionFooterHeight = UITableView.automaticDimension
    open var sectionHeaderTopPadding = UITableView.automaticDimension
    open var backgroundView: UIView?
    open var isEditing = false

    public init(frame: CGRect = .zero, style: Style = .plain) {
        self.style = style
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open var indexPathForSelectedRow: IndexPath? { nil }
    open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {}
    /// A plain cell, regardless of the registered class. No data source provides one.
    open func dequeueReusableCell(
        withIdentifier identifier: String, for indexPath: IndexPath
    ) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: identifier)
    }
    open func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { nil }
    open func reloadData() {}
    open func reloadRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func insertRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func deleteRows(at indexPaths: [IndexPath], with animation: RowAnimation) {}
    open func deselectRow(at indexPath: IndexPath, animated: Bool) {}
    open func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { nil }
    open func beginUpdates() {}
    open func endUpdates() {}
    /// Calls both at once.
    open func performBatchUpdates(
        _ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil
    ) {
        updates?()
        completion?(true)
    }
    open func reloadSections(_ sections: IndexSet, with animation: RowAnimation) {}
    open func insertSections(_ sections: IndexSet, with animation: RowAnimation) {}
    open func deleteSections(_ sections: IndexSet, with animation: RowAnimation) {}
    open func moveRow(at indexPath: IndexPath, to newIndexPath: IndexPath) {}
    open func selectRow(
        at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition
    ) {}
    open func scrollToRow(
        at indexPath: IndexPath, at scrollPosition: ScrollPosition, animated: Bool
    ) {}
    open func setEditing(_ editing: Bool, animated: Bool) {
        isEditing = editing
    }
    open func indexPath(for cell: UITableViewCell) -> IndexPath? { nil }
    open func numberOfRows(inSection section: Int) -> Int { 0 }
    open var numberOfSections: Int { 0 }
    open var visibleCells: [UITableViewCell] { [] }
    open var indexPathsForVisibleRows: [IndexPath]? { nil }
    open var indexPathsForSelectedRows: [IndexPath]? { nil }

    /// The target position of a row when scrolling.
    public enum ScrollPosition: Int, Sendable {
        case none, top, middle, bottom
    }
}

extension IndexPath {
    /// The second index.
    public var row: Int { self[1] }
    /// The second index.
    public var item: Int { self[1] }
    /// The first index.
    public var section: Int { self[0] }

    public init(row: Int, section: Int) {
        self.init(indexes: [section, row])
    }

    public init(item: Int, section: Int) {
        self.init(indexes: [section, item])
    }
}

/// Would be notified of scrolling.
@preconcurrency @MainActor
public protocol UIScrollViewDelegate: AnyObject {
    func scrollViewDidScroll(_ scrollView: UIScrollView)
    func scrollViewDidEndDecelerating(_ scrollView: UIScrollView)
}

extension UIScrollViewDelegate {
    public func scrollViewDidScroll(_ scrollView: UIScrollView) {}
    public func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {}
}

/// A view that can be scrolled.
@preconcurrency @MainActor
open class UIScrollView: UIView {
    open var contentSize = CGSize.zero
    open var contentOffset = CGPoint.zero
    open var isScrollEnabled = true
    open var contentInset = UIEdgeInsets.zero
    open var alwaysBounceVertical = false
    open var bounces = true
    open var isPagingEnabled = false
    open var showsVerticalScrollIndicator = true
    open var showsHorizontalScrollIndicator = true
    open var keyboardDismissMode = KeyboardDismissMode.none
    open var contentInsetAdjustmentBehavior = ContentInsetAdjustmentBehavior.automatic
    open var refreshControl: UIRefreshControl?

    open func setContentOffset(_ contentOffset: CGPoint, animated: Bool) {
        self.contentOffset = contentOffset
    }
    open func scrollRectToVisible(_ rect: CGRect, animated: Bool) {}

    /// The action that hides a keyboard.
    public enum KeyboardDismissMode: Int, Sendable {
        case none, onDrag, interactive, onDragWithAccessory, interactiveWithAccessory
    }

    /// Whether content avoids bars.
    public enum ContentInsetAdjustmentBehavior: Int, Sendable {
        case automatic, scrollableAxes, never, always
    }
}

/// A row.
@preconcurrency @MainActor
open class UITableViewCell: UIView {
    /// The style of a row.
    public enum CellStyle: Int, Sendable {
        case `default`, value1, value2, subtitle
    }

    /// The accessory at the end of a row.
    public enum AccessoryType: Int, Sendable {
        case none, disclosureIndicator, detailDisclosureButton, checkmark, detailButton
    }

    /// The style of a selected row.
    public enum SelectionStyle: Int, Sendable {
        case none, blue, gray, `default`
    }

    /// The edit of a row.
    public enum EditingStyle: Int, Sendable {
        case none, delete, insert
    }

    public let reuseIdentifier: String?
    open lazy var contentView = UIView()
    open lazy var textLabel: UILabel? = UILabel()
    open lazy var detailTextLabel: UILabel? = UILabel()
    open lazy var imageView: UIImageView? = UIImageView()
    open var accessoryType = AccessoryType.none
    open var accessoryView: UIView?
    open var selectionStyle = SelectionStyle.default
    open var contentConfiguration: (any UIContentConfiguration)?

    public convenience init(_: Void = ()) {
        self.init(style: .default, reuseIdentifier: nil)
    }

    public init(style: CellStyle, reuseIdentifier: String?) {
        self.reuseIdentifier = reuseIdentifier
        super.init(frame: .zero)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func prepareForReuse() {}
    open func setSelected(_ selected: Bool, animated: Bool) {}
    open func setHighlighted(_ highlighted: Bool, animated: Bool) {}
    open func setEditing(_ editing: Bool, animated: Bool) {}

    /// The style of the separators between rows.
    public enum SeparatorStyle: Int, Sendable {
        case none, singleLine
    }
}

/// Would provide rows.
@preconcurrency @MainActor
public protocol UITableViewDataSource: AnyObject {
    func numberOfSections(in tableView: UITableView) -> Int
    func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int
    func tableView(
        _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell
    func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, titleForHeaderInSection section: Int) -> String?
}

extension UITableViewDataSource {
    public func numberOfSections(in tableView: UITableView) -> Int { 1 }
    public func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath
    ) {}
    public func tableView(
        _ tableView: UITableView, titleForHeaderInSection section: Int
    ) -> String? { nil }
}

/// Would be notified of rows that appear soon.
@preconcurrency @MainActor
public protocol UITableViewDataSourcePrefetching: AnyObject {
    func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
    func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

extension UITableViewDataSourcePrefetching {
    public func tableView(
        _ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath]
    ) {}
}

/// Would be notified of touches and of displayed rows.
@preconcurrency @MainActor
public protocol UITableViewDelegate: UIScrollViewDelegate {
    func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath)
    func tableView(
        _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath)
    func tableView(_ tableView: UITableView, heightForRowAt indexPath: IndexPath) -> CGFloat
    func tableView(
        _ tableView: UITableView, leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration?
    func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration?
}

extension UITableViewDelegate {
    public func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    public func tableView(
        _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {}
    public func tableView(
        _ tableView: UITableView, heightForRowAt indexPath: IndexPath
    ) -> CGFloat { tableView.rowHeight }
    public func tableView(
        _ tableView: UITableView, leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
    public func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
}

/// A controller with a list.
@preconcurrency @MainActor
open class UITableViewController: UIViewController, UITableViewDataSource, UITableViewDelegate {
    open var tableView: UITableView
    open var refreshControl: UIRefreshControl?

    public init(style: UITableView.Style) {
        tableView = UITableView(style: style)
        super.init(nibName: nil, bundle: nil)
    }

    public override init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) {
        tableView = UITableView(style: .plain)
        super.init(nibName: nibNameOrNil, bundle: nibBundleOrNil)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func numberOfSections(in tableView: UITableView) -> Int { 1 }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { 0 }
    open func tableView(
        _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
        UITableViewCell(style: .default, reuseIdentifier: nil)
    }
    open func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath
    ) {}
    open func tableView(
        _ tableView: UITableView, titleForHeaderInSection section: Int
    ) -> String? { nil }
    open func scrollViewDidScroll(_ scrollView: UIScrollView) {}
    open func scrollViewDidEndDecelerating(_ scrollView: UIScrollView) {}
    open func tableView(_ tableView: UITableView, didSelectRowAt indexPath: IndexPath) {}
    open func tableView(
        _ tableView: UITableView, willDisplay cell: UITableViewCell, forRowAt indexPath: IndexPath
    ) {}
    open func tableView(
        _ tableView: UITableView, heightForRowAt indexPath: IndexPath
    ) -> CGFloat { tableView.rowHeight }
    open func tableView(
        _ tableView: UITableView, leadingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
    open func tableView(
        _ tableView: UITableView, trailingSwipeActionsConfigurationForRowAt indexPath: IndexPath
    ) -> UISwipeActionsConfiguration? { nil }
}
