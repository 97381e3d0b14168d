// SPDX-License-Identifier: Apache-2.0

/// Planned actions in the order of their times. Actions with the same time run in the order in which they
/// were planned.
struct Agenda {
    private struct Item {
        let time: Int64
        let body: () -> Void
    }

    /// Sorted by descending time: the last one is next.
    private var items: [Item] = []

    var next: Int64? { items.last?.time }
    var count: Int { items.count }

    mutating func plan(at time: Int64, _ body: @escaping () -> Void) {
        var index = items.endIndex
        while index > 0, items[index - 1].time <= time { index -= 1 }
        items.insert(Item(time: time, body: body), at: index)
    }

    mutating func takeNext() -> (() -> Void)? { items.popLast()?.body }

    mutating func clear() { items.removeAll() }
}
