// SPDX-License-Identifier: Apache-2.0

/// A summary of durations. All values are milliseconds.
package struct Distribution: Codable, Hashable, Sendable {
    var count: Int
    /// Half of the values are at most this long.
    package var p50: Int64
    /// 95 of a hundred values are at most this long.
    package var p95: Int64
    package var max: Int64
    package var sum: Int64

    /// Nil without values. Percentiles are values that occurred (nearest rank).
    init?(_ values: [Int64]) {
        let sorted = values.sorted()
        guard let last = sorted.last else { return nil }
        count = sorted.count
        p50 = sorted[(sorted.count * 50 + 99) / 100 - 1]
        p95 = sorted[(sorted.count * 95 + 99) / 100 - 1]
        max = last
        sum = sorted.reduce(0) { $0.addingReportingOverflow($1).partialValue }
    }
}
