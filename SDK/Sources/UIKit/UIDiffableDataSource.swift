// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Data sources of snapshots. They answer from the last applied one; nothing is shown.

/// The snapshot of a data source, and the queries about it.
@preconcurrency @MainActor
open class UIDiffableDataSource<
    SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
>: NSObject {
    fileprivate var applied =
        NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>()

    open func snapshot()
        -> NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>
    { applied }

    /// Keeps the snapshot and calls the completion at once, on the calling thread: the main one.
    open func apply(
        _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
        animatingDifferences: Bool = true, completion: (() -> Void)? = nil
    ) {
        applied = snapshot.unmarked
        completion?()
    }

    open func apply(
        _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
        animatingDifferences: Bool = true
    ) async {
        applied = snapshot.unmarked
    }

    open func applySnapshotUsingReloadData(
        _ snapshot: NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>,
        completion: (() -> Void)? = nil
    ) {
        applied = snapshot.unmarked
        completion?()
    }

    open func sectionIdentifier(for index: Int) -> SectionIdentifierType? {
        applied.section(at: index)
    }
    open func index(for sectionIdentifier: SectionIdentifierType) -> Int? {
        applied.indexOfSection(sectionIdentifier)
    }
    open func itemIdentifier(for indexPath: IndexPath) -> ItemIdentifierType? {
        applied.item(at: indexPath)
    }
    open func indexPath(for itemIdentifier: ItemIdentifierType) -> IndexPath? {
        applied.indexPath(of: itemIdentifier)
    }
}

/// The rows of a table, from snapshots.
@preconcurrency @MainActor
open class UITableViewDiffableDataSource<
    SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
>: UIDiffableDataSource<SectionIdentifierType, ItemIdentifierType>, UITableViewDataSource {
    public typealias CellProvider = (
        _ tableView: UITableView, _ indexPath: IndexPath, _ itemIdentifier: ItemIdentifierType
    ) -> UITableViewCell?

    private let cellProvider: CellProvider
    open var defaultRowAnimation = UITableView.RowAnimation.automatic

    public init(tableView: UITableView, cellProvider: @escaping CellProvider) {
        self.cellProvider = cellProvider
        super.init()
        tableView.dataSource = self
    }

    open func numberOfSections(in tableView: UITableView) -> Int { applied.numberOfSections }
    open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
        applied.count(at: section)
    }
    open func tableView(
        _ tableView: UITableView, cellForRowAt indexPath: IndexPath
    ) -> UITableViewCell {
        applied.item(at: indexPath).flatMap { cellProvider(tableView, indexPath, $0) }
            ?? UITableViewCell()
    }
    open func tableView(
        _ tableView: UITableView, commit editingStyle: UITableViewCell.EditingStyle,
        forRowAt indexPath: IndexPath
    ) {}
    open func tableView(
        _ tableView: UITableView, canEditRowAt indexPath: IndexPath
    ) -> Bool { false }
    open func tableView(
        _ tableView: UITableView, canMoveRowAt indexPath: IndexPath
    ) -> Bool { false }
    open func tableView(
        _ tableView: UITableView, moveRowAt sourceIndexPath: IndexPath,
        to destinationIndexPath: IndexPath
    ) {}
    open func tableView(
        _ tableView: UITableView, titleForHeaderInSection section: Int
    ) -> String? { nil }
    open func tableView(
        _ tableView: UITableView, titleForFooterInSection section: Int
    ) -> String? { nil }
}

/// The cells of a collection, from snapshots.
@preconcurrency @MainActor
open class UICollectionViewDiffableDataSource<
    SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
>: UIDiffableDataSource<SectionIdentifierType, ItemIdentifierType>, UICollectionViewDataSource {
    public typealias CellProvider = (
        _ collectionView: UICollectionView, _ indexPath: IndexPath,
        _ itemIdentifier: ItemIdentifierType
    ) -> UICollectionViewCell?

    private let cellProvider: CellProvider

    public init(collectionView: UICollectionView, cellProvider: @escaping CellProvider) {
        self.cellProvider = cellProvider
        super.init()
        collectionView.dataSource = self
    }

    open func numberOfSections(in collectionView: UICollectionView) -> Int {
        applied.numberOfSections
    }
    open func collectionView(
        _ collectionView: UICollectionView, numberOfItemsInSection section: Int
    ) -> Int {
        applied.count(at: section)
    }
    open func collectionView(
        _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
        applied.item(at: indexPath).flatMap { cellProvider(collectionView, indexPath, $0) }
            ?? UICollectionViewCell(frame: .zero)
    }
}

extension NSDiffableDataSourceSnapshot {
    fileprivate func section(at index: Int) -> SectionIdentifierType? {
        sectionIdentifiers.indices.contains(index) ? sectionIdentifiers[index] : nil
    }

    fileprivate func count(at index: Int) -> Int {
        section(at: index).map(numberOfItems(inSection:)) ?? 0
    }

    fileprivate func item(at indexPath: IndexPath) -> ItemIdentifierType? {
        guard let section = section(at: indexPath.section) else { return nil }
        let items = itemIdentifiers(inSection: section)
        return items.indices.contains(indexPath.item) ? items[indexPath.item] : nil
    }

    fileprivate func indexPath(of item: ItemIdentifierType) -> IndexPath? {
        guard let section = sectionIdentifier(containingItem: item),
            let index = indexOfSection(section),
            let place = itemIdentifiers(inSection: section).firstIndex(of: item)
        else { return nil }
        return IndexPath(item: place, section: index)
    }
}
