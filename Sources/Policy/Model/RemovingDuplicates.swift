// SPDX-License-Identifier: Apache-2.0

extension Array where Element: Hashable {
    /// The first of equal elements, in order.
    package func removingDuplicates() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
