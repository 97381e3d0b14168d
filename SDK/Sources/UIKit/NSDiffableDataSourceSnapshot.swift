// SPDX-License-Identifier: Apache-2.0

/// The sections and items of a list at one time.
///
/// Added items that already exist are moved. As on iOS, a duplicate identifier in one list, a section
/// that is added twice, or a missing required identifier ends the process.
public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
> {
    fileprivate struct Section {
        let identifier: SectionIdentifierType
        var items: [ItemIdentifierType] = []
    }

    private var sections: [Section] = []
    private var known: Set<ItemIdentifierType> = []
    public fileprivate(set) var reloadedSectionIdentifiers: [SectionIdentifierType] = []
    public fileprivate(set) var reloadedItemIdentifiers: [ItemIdentifierType] = []
    public fileprivate(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []

    public init() {}

    public var numberOfSections: Int { sections.count }
    public var numberOfItems: Int { known.count }
    public var sectionIdentifiers: [SectionIdentifierType] { sections.map(\.identifier) }
    public var itemIdentifiers: [ItemIdentifierType] { sections.flatMap(\.items) }

    public func numberOfItems(inSection identifier: SectionIdentifierType) -> Int {
        sections[place(of: identifier)].items.count
    }

    public func itemIdentifiers(
        inSection identifier: SectionIdentifierType
    ) -> [ItemIdentifierType] {
        sections[place(of: identifier)].items
    }

    public func sectionIdentifier(
        containingItem identifier: ItemIdentifierType
    ) -> SectionIdentifierType? {
        find(identifier).map { sections[$0.section].identifier }
    }

    /// The item's index among those of all sections.
    public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? {
        itemIdentifiers.firstIndex(of: identifier)
    }

    public func indexOfSection(_ identifier: SectionIdentifierType) -> Int? {
        sections.firstIndex { $0.identifier == identifier }
    }

    /// Adds to the section, or to the last one.
    public mutating func appendItems(
        _ identifiers: [ItemIdentifierType],
        toSection sectionIdentifier: SectionIdentifierType? = nil
    ) {
        precondition(!sections.isEmpty, "a snapshot without sections has no items")
        let section = sectionIdentifier.map { place(of: $0) } ?? sections.count - 1
        take(identifiers)
        sections[section].items += identifiers
    }

    public mutating func insertItems(
        _ identifiers: [ItemIdentifierType], beforeItem beforeIdentifier: ItemIdentifierType
    ) {
        take(identifiers, besides: beforeIdentifier)
        let (section, item) = place(of: beforeIdentifier)
        sections[section].items.insert(contentsOf: identifiers, at: item)
    }

    public mutating func insertItems(
        _ identifiers: [ItemIdentifierType], afterItem afterIdentifier: ItemIdentifierType
    ) {
        take(identifiers, besides: afterIdentifier)
        let (section, item) = place(of: afterIdentifier)
        sections[section].items.insert(contentsOf: identifiers, at: item + 1)
    }

    /// Identifiers that the snapshot lacks are ignored.
    public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {
        let deleted = remove(identifiers)
        reloadedItemIdentifiers.removeAll(where: deleted.contains)
        reconfiguredItemIdentifiers.removeAll(where: deleted.contains)
    }

    /// Deletes the sections too.
    public mutating func deleteAllItems() {
        self = Self()
    }

    public mutating func moveItem(
        _ identifier: ItemIdentifierType, beforeItem toIdentifier: ItemIdentifierType
    ) {
        _ = place(of: identifier)
        insertItems([identifier], beforeItem: toIdentifier)
    }

    public mutating func moveItem(
        _ identifier: ItemIdentifierType, afterItem toIdentifier: ItemIdentifierType
    ) {
        _ = place(of: identifier)
        insertItems([identifier], afterItem: toIdentifier)
    }

    public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {
        for identifier in identifiers { _ = place(of: identifier) }
        reloadedItemIdentifiers.add(identifiers)
    }

    public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
        for identifier in identifiers { _ = place(of: identifier) }
        reconfiguredItemIdentifiers.add(identifiers)
    }

    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
        insert(identifiers, at: sections.count)
    }

    public mutating func insertSections(
        _ identifiers: [SectionIdentifierType], beforeSection toIdentifier: SectionIdentifierType
    ) {
        insert(identifiers, at: place(of: toIdentifier))
    }

    public mutating func insertSections(
        _ identifiers: [SectionIdentifierType], afterSection toIdentifier: SectionIdentifierType
    ) {
        insert(identifiers, at: place(of: toIdentifier) + 1)
    }

    /// Deletes the sections with their items. Identifiers that the snapshot lacks are ignored.
    public mutating func deleteSections(_ identifiers: [SectionIdentifierType]) {
        for section in sections where identifiers.contains(section.identifier) {
            deleteItems(section.items)
        }
        sections.removeAll { identifiers.contains($0.identifier) }
        reloadedSectionIdentifiers.removeAll(where: identifiers.contains)
    }

    public mutating func moveSection(
        _ identifier: SectionIdentifierType, beforeSection toIdentifier: SectionIdentifierType
    ) {
        precondition(identifier != toIdentifier, "a section cannot be moved to itself")
        let section = sections.remove(at: place(of: identifier))
        sections.insert(section, at: place(of: toIdentifier))
    }

    public mutating func moveSection(
        _ identifier: SectionIdentifierType, afterSection toIdentifier: SectionIdentifierType
    ) {
        precondition(identifier != toIdentifier, "a section cannot be moved to itself")
        let section = sections.remove(at: place(of: identifier))
        sections.insert(section, at: place(of: toIdentifier) + 1)
    }

    public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {
        for identifier in identifiers { _ = place(of: identifier) }
        reloadedSectionIdentifiers.add(identifiers)
    }

    // MARK: Places

    private func find(_ item: ItemIdentifierType) -> (section: Int, item: Int)? {
        guard known.contains(item) else { return nil }
        for (index, section) in sections.enumerated() {
            if let place = section.items.firstIndex(of: item) { return (index, place) }
        }
        return nil
    }

    private func place(of item: ItemIdentifierType) -> (section: Int, item: Int) {
        guard let place = find(item) else {
            preconditionFailure("the snapshot has no item \(item)")
        }
        return place
    }

    private func place(of section: SectionIdentifierType) -> Int {
        guard let index = indexOfSection(section) else {
            preconditionFailure("the snapshot has no section \(section)")
        }
        return index
    }

    /// Registers the items, and removes existing ones from their places.
    /// - Parameter anchor: The item beside which they are inserted.
    private mutating func take(
        _ items: [ItemIdentifierType], besides anchor: ItemIdentifierType? = nil
    ) {
        let added = Set(items)
        precondition(added.count == items.count, "an item is twice in \(items)")
        if let anchor {
            precondition(!added.contains(anchor), "the item \(anchor) cannot be moved to itself")
        }
        remove(items)
        known.formUnion(added)
    }

    @discardableResult
    private mutating func remove(_ items: [ItemIdentifierType]) -> Set<ItemIdentifierType> {
        let removed = known.intersection(items)
        guard !removed.isEmpty else { return removed }
        known.subtract(removed)
        for index in sections.indices { sections[index].items.removeAll(where: removed.contains) }
        return removed
    }

    private mutating func insert(_ identifiers: [SectionIdentifierType], at index: Int) {
        for identifier in identifiers {
            precondition(
                indexOfSection(identifier) == nil,
                "the snapshot has the section \(identifier) already")
        }
        sections.insert(contentsOf: identifiers.map { Section(identifier: $0) }, at: index)
    }
}

extension NSDiffableDataSourceSnapshot {
    /// The same without marks for redrawing.
    var unmarked: Self {
        var copy = self
        copy.reloadedSectionIdentifiers = []
        copy.reloadedItemIdentifiers = []
        copy.reconfiguredItemIdentifiers = []
        return copy
    }
}

extension Array where Element: Hashable {
    /// Appends the missing ones.
    fileprivate mutating func add(_ others: [Element]) {
        let present = Set(self)
        self += others.filter { !present.contains($0) }
    }
}

extension NSDiffableDataSourceSnapshot.Section: Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}

extension NSDiffableDataSourceSnapshot: Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}
