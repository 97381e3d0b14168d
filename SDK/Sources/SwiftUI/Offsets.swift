// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The usual implementations for `onDelete` and `onMove`.

extension RangeReplaceableCollection where Self: MutableCollection {
    /// Removes the elements with these indices.
    public mutating func remove(atOffsets offsets: IndexSet) {
        var kept = Self()
        for (offset, element) in enumerated() where !offsets.contains(offset) {
            kept.append(element)
        }
        self = kept
    }
}

extension MutableCollection {
    /// Moves the elements with these indices before the one with the current index `destination`.
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
