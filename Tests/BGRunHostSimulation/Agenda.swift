// SPDX-License-Identifier: Apache-2.0

/// What will happen, in the order of its time; of two things at one time the one that was planned first
/// happens first.
struct Agenda {
    private struct Item {
        let time: Int64
        let body: () -> Void
    }

    /// The last one is next.
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
