// SPDX-License-Identifier: Apache-2.0

public import Foundation

// What `onDelete` and `onMove` are given, and the usual answers.

extension RangeReplaceableCollection where Self: MutableCollection {
    /// Removes the elements of these numbers.
    public mutating func remove(atOffsets offsets: IndexSet) {
        var kept = Self()
        for (offset, element) in enumerated() where !offsets.contains(offset) {
            kept.append(element)
        }
        self = kept
    }
}

extension MutableCollection {
    /// Moves the elements of these numbers before the one that has the number `destination` now.
    public mutating func move(fromOffsets source: IndexSet, toOffset destination: Int) {
        let elements = Array(self)
        let isMoved = { (offset: Int) in source.contains(offset) }
        let order =
            (0..<elements.count).filter { $0 < destination && !isMoved($0) }
            + (0..<elements.count).filter(isMoved)
            + (0..<elements.count).filter { $0 >= destination && !isMoved($0) }
        for (index, offset) in zip(indices, order) { self[index] = elements[offset] }
    }
}
