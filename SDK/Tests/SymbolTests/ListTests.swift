// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UIKit

@Suite(.timeLimit(.minutes(1))) @MainActor struct ListTests {
    private typealias Snapshot = NSDiffableDataSourceSnapshot<String, Int>

    private static func snapshot() -> Snapshot {
        var snapshot = Snapshot()
        snapshot.appendSections(["a", "b"])
        snapshot.appendItems([1, 2, 3], toSection: "a")
        snapshot.appendItems([4])
        return snapshot
    }

    @Test("A snapshot numbers sections and items in their order")
    func numbers() {
        let snapshot = Self.snapshot()
        #expect(snapshot.numberOfSections == 2)
        #expect(snapshot.numberOfItems == 4)
        #expect(snapshot.numberOfItems(inSection: "a") == 3)
        #expect(snapshot.itemIdentifiers == [1, 2, 3, 4])
        #expect(snapshot.indexOfSection("b") == 1)
        #expect(snapshot.indexOfSection("c") == nil)
        #expect(snapshot.indexOfItem(4) == 3)
        #expect(snapshot.indexOfItem(5) == nil)
        #expect(snapshot.sectionIdentifier(containingItem: 4) == "b")
        #expect(snapshot.sectionIdentifier(containingItem: 5) == nil)
    }

    @Test("Items are inserted, moved and deleted")
    func items() {
        var snapshot = Self.snapshot()
        snapshot.insertItems([5, 6], beforeItem: 1)
        snapshot.insertItems([7], afterItem: 4)
        #expect(snapshot.itemIdentifiers == [5, 6, 1, 2, 3, 4, 7])
        snapshot.moveItem(5, afterItem: 7)
        snapshot.moveItem(7, beforeItem: 6)
        #expect(snapshot.itemIdentifiers(inSection: "a") == [7, 6, 1, 2, 3])
        #expect(snapshot.itemIdentifiers(inSection: "b") == [4, 5])
        snapshot.deleteItems([6, 5, 99])
        #expect(snapshot.itemIdentifiers == [7, 1, 2, 3, 4])
        snapshot.appendItems([6], toSection: "a")
        #expect(snapshot.itemIdentifiers(inSection: "a") == [7, 1, 2, 3, 6])
        snapshot.reloadItems([7])
        snapshot.reconfigureItems([1, 2])
        #expect(snapshot.reloadedItemIdentifiers == [7])
        #expect(snapshot.reconfiguredItemIdentifiers == [1, 2])
        snapshot.deleteAllItems()
        #expect(snapshot.numberOfItems == 0)
        #expect(snapshot.sectionIdentifiers == [])
    }

    @Test("An item that is added again moves, and a removed item loses its reload mark")
    func again() {
        var snapshot = Self.snapshot()
        snapshot.reloadItems([1, 4])
        snapshot.reloadItems([1])
        snapshot.appendItems([2, 5], toSection: "b")
        #expect(snapshot.itemIdentifiers(inSection: "a") == [1, 3])
        #expect(snapshot.itemIdentifiers(inSection: "b") == [4, 2, 5])
        snapshot.insertItems([5, 1], beforeItem: 3)
        #expect(snapshot.itemIdentifiers == [5, 1, 3, 4, 2])
        #expect(snapshot.reloadedItemIdentifiers == [1, 4])
        snapshot.deleteSections(["b"])
        #expect(snapshot.reloadedItemIdentifiers == [1])
        let source = UITableViewDiffableDataSource<String, Int>(tableView: UITableView()) {
            _, _, _ in nil
        }
        source.apply(snapshot)
        #expect(source.snapshot().reloadedItemIdentifiers == [])
        #expect(source.snapshot().itemIdentifiers == [5, 1, 3])
    }

    @Test("Sections take their items with them")
    func sections() {
        var snapshot = Self.snapshot()
        snapshot.insertSections(["c"], beforeSection: "a")
        snapshot.insertSections(["d"], afterSection: "a")
        #expect(snapshot.sectionIdentifiers == ["c", "a", "d", "b"])
        snapshot.moveSection("a", afterSection: "b")
        snapshot.moveSection("d", beforeSection: "c")
        #expect(snapshot.sectionIdentifiers == ["d", "c", "b", "a"])
        #expect(snapshot.itemIdentifiers == [4, 1, 2, 3])
        snapshot.deleteSections(["a", "x"])
        #expect(snapshot.itemIdentifiers == [4])
        snapshot.appendItems([1], toSection: "c")
        #expect(snapshot.itemIdentifiers == [1, 4])
        snapshot.reloadSections(["b"])
        #expect(snapshot.reloadedSectionIdentifiers == ["b"])
    }

    @Test("A table's data source answers from the last snapshot, and makes its cells")
    func table() async {
        let table = UITableView()
        let source = UITableViewDiffableDataSource<String, Int>(tableView: table) { _, path, item in
            guard item != 4 else { return nil }
            return UITableViewCell(style: .default, reuseIdentifier: "\(path.section) \(item)")
        }
        #expect(table.dataSource === source)
        #expect(source.numberOfSections(in: table) == 0)
        var isApplied = false
        source.apply(Self.snapshot(), animatingDifferences: false) { isApplied = true }
        #expect(isApplied)
        #expect(source.numberOfSections(in: table) == 2)
        #expect(source.tableView(table, numberOfRowsInSection: 0) == 3)
        #expect(source.tableView(table, numberOfRowsInSection: 2) == 0)
        let path = IndexPath(row: 1, section: 0)
        #expect(source.tableView(table, cellForRowAt: path).reuseIdentifier == "0 2")
        let last = IndexPath(row: 0, section: 1)
        #expect(source.tableView(table, cellForRowAt: last).reuseIdentifier == nil)
        #expect(source.itemIdentifier(for: path) == 2)
        #expect(source.itemIdentifier(for: IndexPath(row: 3, section: 0)) == nil)
        #expect(source.indexPath(for: 4) == last)
        #expect(source.indexPath(for: 5) == nil)
        #expect(source.sectionIdentifier(for: 1) == "b")
        #expect(source.sectionIdentifier(for: 2) == nil)
        #expect(source.index(for: "b") == 1)
        var next = source.snapshot()
        next.deleteSections(["a"])
        await source.apply(next)
        #expect(source.snapshot().itemIdentifiers == [4])
    }

    @Test("A collection's data source answers from the last snapshot, and makes its cells")
    func collection() {
        let controller = UICollectionViewController(
            collectionViewLayout: UICollectionViewFlowLayout())
        let collection = controller.collectionView!
        #expect(collection.dataSource === controller)
        #expect(collection.delegate === controller)
        let cell = UICollectionViewCell(frame: .zero)
        let source = UICollectionViewDiffableDataSource<String, Int>(
            collectionView: collection
        ) { _, _, item in item == 2 ? cell : nil }
        #expect(collection.dataSource === source)
        source.applySnapshotUsingReloadData(Self.snapshot())
        #expect(source.numberOfSections(in: collection) == 2)
        #expect(source.collectionView(collection, numberOfItemsInSection: 0) == 3)
        let path = IndexPath(item: 1, section: 0)
        #expect(source.collectionView(collection, cellForItemAt: path) === cell)
        #expect(source.itemIdentifier(for: path) == 2)
        #expect(source.indexPath(for: 3) == IndexPath(item: 2, section: 0))
    }

    @Test("A split controller keeps the controller of each column")
    func columns() {
        let split = UISplitViewController(style: .doubleColumn)
        let list = UIViewController()
        let detail = UIViewController()
        split.setViewController(list, for: .primary)
        split.showDetailViewController(detail, sender: nil)
        #expect(split.viewController(for: .secondary) === detail)
        #expect(split.viewControllers == [list, detail])
        split.setViewController(nil, for: .primary)
        #expect(split.viewControllers == [detail])
        let plain = UISplitViewController(nibName: nil, bundle: nil)
        plain.viewControllers = [list, UIViewController()]
        plain.showDetailViewController(detail, sender: nil)
        #expect(plain.viewControllers == [list, detail])
    }
}
