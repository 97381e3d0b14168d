// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Collections, which show nothing: no data source is called.

/// Views in rows and columns.
@preconcurrency @MainActor
open class UICollectionView: UIScrollView {
    open weak var dataSource: (any UICollectionViewDataSource)?
    open weak var delegate: (any UICollectionViewDelegate)?
    open weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
    open var isPrefetchingEnabled = true
    open var collectionViewLayout: UICollectionViewLayout

    public init(frame: CGRect, collectionViewLayout layout: UICollectionViewLayout) {
        collectionViewLayout = layout
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {}
    /// A plain cell, regardless of the registered class. No data source provides one.
    open func dequeueReusableCell(
        withReuseIdentifier identifier: String, for indexPath: IndexPath
    ) -> UICollectionViewCell {
        UICollectionViewCell()
    }
    open func reloadData() {}
    open func reloadItems(at indexPaths: [IndexPath]) {}
    open func insertItems(at indexPaths: [IndexPath]) {}
    open func deleteItems(at indexPaths: [IndexPath]) {}
    open func reloadSections(_ sections: IndexSet) {}
    /// Calls both at once.
    open func performBatchUpdates(
        _ updates: (() -> Void)?, completion: ((Bool) -> Void)? = nil
    ) {
        updates?()
        completion?(true)
    }
    open func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { nil }
    open func deselectItem(at indexPath: IndexPath, animated: Bool) {}
    open func indexPath(for cell: UICollectionViewCell) -> IndexPath? { nil }
    open var indexPathsForSelectedItems: [IndexPath]? { nil }
    open var indexPathsForVisibleItems: [IndexPath] { [] }
    open var allowsSelection = true
    open var allowsMultipleSelection = false
    open var backgroundView: UIView?
}

extension UICollectionView {
    /// The axis of scrolling.
    public enum ScrollDirection: Int, Sendable {
        case vertical, horizontal
    }
}

/// A place for content.
@preconcurrency @MainActor
open class UICollectionViewCell: UIView {
    open lazy var contentView = UIView()
    open var contentConfiguration: (any UIContentConfiguration)?

    public override init(frame: CGRect) {
        super.init(frame: frame)
    }

    public required init?(coder: NSCoder) {
        nil
    }

    open func prepareForReuse() {}
}

/// The arrangement of cells.
@preconcurrency @MainActor
open class UICollectionViewLayout: NSObject {
    public override init() {
        super.init()
    }
}

/// Cells in lines.
@preconcurrency @MainActor
open class UICollectionViewFlowLayout: UICollectionViewLayout {
    open var itemSize = CGSize(width: 50, height: 50)
    open var minimumLineSpacing: CGFloat = 10
    open var minimumInteritemSpacing: CGFloat = 10
    open var sectionInset = UIEdgeInsets.zero
    open var scrollDirection = UICollectionView.ScrollDirection.vertical
}

/// Would provide cells.
@preconcurrency @MainActor
public protocol UICollectionViewDataSource: AnyObject {
    func numberOfSections(in collectionView: UICollectionView) -> Int
    func collectionView(
        _ collectionView: UICollectionView, numberOfItemsInSection section: Int
    ) -> Int
    func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell
}

extension UICollectionViewDataSource {
    public func numberOfSections(in collectionView: UICollectionView) -> Int { 1 }
}

/// Would be notified of cells that appear soon.
@preconcurrency @MainActor
public protocol UICollectionViewDataSourcePrefetching: AnyObject {
    func collectionView(
        _ collectionView: UICollectionView, prefetchItemsAt indexPaths: [IndexPath])
    func collectionView(
        _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath])
}

extension UICollectionViewDataSourcePrefetching {
    public func collectionView(
        _ collectionView: UICollectionView, cancelPrefetchingForItemsAt indexPaths: [IndexPath]
    ) {}
}

/// Would be notified of touches and of displayed cells.
@preconcurrency @MainActor
public protocol UICollectionViewDelegate: UIScrollViewDelegate {
    func collectionView(_ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath)
    func collectionView(
        _ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath)
    func collectionView(
        _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath)
}

extension UICollectionViewDelegate {
    public func collectionView(
        _ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath
    ) {}
    public func collectionView(
        _ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {}
    public func collectionView(
        _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell,
        forItemAt indexPath: IndexPath
    ) {}
}
