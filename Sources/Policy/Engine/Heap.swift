// SPDX-License-Identifier: Apache-2.0

/// A binary min-heap: insertion and removal of the smallest in O(log n).
struct Heap<Element: Comparable & Sendable>: Sendable {
    private var elements: [Element] = []

    var count: Int { elements.count }
    var smallest: Element? { elements.first }

    init() {}

    /// Builds a heap of all `elements` in O(n).
    init(_ elements: [Element]) {
        self.elements = elements
        for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    /// Whether an element satisfies `isWanted`; checks the smallest first.
    func contains(where isWanted: (Element) -> Bool) -> Bool { elements.contains(where: isWanted) }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    @discardableResult
    mutating func removeSmallest() -> Element? {
        guard let smallest = elements.first, let last = elements.popLast() else { return nil }
        if !elements.isEmpty {
            elements[0] = last
            siftDown(0)
        }
        return smallest
    }

    /// Visits the elements in ascending order until `visit` returns false: the first k in O(k log k).
    func ascend(_ visit: (Element) -> Bool) {
        var frontier = Heap<Node>()
        if let smallest { frontier.insert(Node(element: smallest, index: 0)) }
        while let next = frontier.removeSmallest(), visit(next.element) {
            for child in [2 * next.index + 1, 2 * next.index + 2] where child < elements.count {
                frontier.insert(Node(element: elements[child], index: child))
            }
        }
    }

    private struct Node: Comparable, Sendable {
        var element: Element
        var index: Int

        static func < (left: Node, right: Node) -> Bool { left.element < right.element }
    }

    mutating func keep(where isKept: (Element) -> Bool) { self = Heap(elements.filter(isKept)) }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            let left = 2 * parent + 1
            guard left < elements.count else { return }
            let right = left + 1
            let child = right < elements.count && elements[right] < elements[left] ? right : left
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            parent = child
        }
    }
}
