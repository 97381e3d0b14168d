// SPDX-License-Identifier: Apache-2.0

/// The sections and items of a list at one time.
///
/// As on iOS, an identifier that is added twice, or a place that is not in the snapshot, ends the
/// process.
public struct NSDiffableDataSourceSnapshot<
    SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
> {
    fileprivate struct Section {
        let identifier: SectionIdentifierType
        var items: [ItemIdentifierType] = []
    }

    private var sections: [Section] = []
    private var known: Set<ItemIdentifierType> = []
    public private(set) var reloadedSectionIdentifiers: [SectionIdentifierType] = []
    public private(set) var reloadedItemIdentifiers: [ItemIdentifierType] = []
    public private(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []

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

    /// The item's number among those of all sections.
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
        insert(identifiers, at: (section, sections[section].items.count))
    }

    public mutating func insertItems(
        _ identifiers: [ItemIdentifierType], beforeItem beforeIdentifier: ItemIdentifierType
    ) {
        insert(identifiers, at: place(of: beforeIdentifier))
    }

    public mutating func insertItems(
        _ identifiers: [ItemIdentifierType], afterItem afterIdentifier: ItemIdentifierType
    ) {
        let (section, item) = place(of: afterIdentifier)
        insert(identifiers, at: (section, item + 1))
    }

    /// Identifiers that the snapshot lacks are ignored.
    public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {
        let deleted = known.intersection(identifiers)
        known.subtract(deleted)
        for index in sections.indices { sections[index].items.removeAll(where: deleted.contains) }
    }

    /// Deletes the sections too.
    public mutating func deleteAllItems() {
        sections = []
        known = []
    }

    public mutating func moveItem(
        _ identifier: ItemIdentifierType, beforeItem toIdentifier: ItemIdentifierType
    ) {
        guard identifier != toIdentifier else { return }
        remove(identifier)
        insertItems([identifier], beforeItem: toIdentifier)
    }

    public mutating func moveItem(
        _ identifier: ItemIdentifierType, afterItem toIdentifier: ItemIdentifierType
    ) {
        guard identifier != toIdentifier else { return }
        remove(identifier)
        insertItems([identifier], afterItem: toIdentifier)
    }

    public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {
        reloadedItemIdentifiers += identifiers
    }

    public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
        reconfiguredItemIdentifiers += identifiers
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
            known.subtract(section.items)
        }
        sections.removeAll { identifiers.contains($0.identifier) }
    }

    public mutating func moveSection(
        _ identifier: SectionIdentifierType, beforeSection toIdentifier: SectionIdentifierType
    ) {
        guard identifier != toIdentifier else { return }
        let section = sections.remove(at: place(of: identifier))
        sections.insert(section, at: place(of: toIdentifier))
    }

    public mutating func moveSection(
        _ identifier: SectionIdentifierType, afterSection toIdentifier: SectionIdentifierType
    ) {
        guard identifier != toIdentifier else { return }
        let section = sections.remove(at: place(of: identifier))
        sections.insert(section, at: place(of: toIdentifier) + 1)
    }

    public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {
        reloadedSectionIdentifiers += identifiers
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

    private mutating func insert(
        _ items: [ItemIdentifierType], at place: (section: Int, item: Int)
    ) {
        for item in items {
            precondition(known.insert(item).inserted, "the snapshot has the item \(item) already")
        }
        sections[place.section].items.insert(contentsOf: items, at: place.item)
    }

    private mutating func insert(_ identifiers: [SectionIdentifierType], at index: Int) {
        for identifier in identifiers {
            precondition(
                indexOfSection(identifier) == nil,
                "the snapshot has the section \(identifier) already")
        }
        sections.insert(contentsOf: identifiers.map { Section(identifier: $0) }, at: index)
    }

    private mutating func remove(_ item: ItemIdentifierType) {
        let (section, place) = place(of: item)
        sections[section].items.remove(at: place)
        known.remove(item)
    }
}

extension NSDiffableDataSourceSnapshot.Section: Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}

extension NSDiffableDataSourceSnapshot: Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}
