// SPDX-License-Identifier: Apache-2.0

/// Arithmetic on instants and intervals saturates: a date at the limit means never.
extension Int64 {
    package func saturatingAdding(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    package func saturatingSubtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    package func saturatingMultiplied(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Int {
    package func saturatingAdding(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }
}

extension Dictionary where Value == Int {
    package mutating func countUp(_ key: Key) {
        self[key] = self[key, default: 0].saturatingAdding(1)
    }
}

extension Sequence where Element: FixedWidthInteger {
    /// The sum of arbitrary numbers, limited to the smallest and the largest integer.
    package var saturatingSum: Element {
        reduce(0) { sum, value in
            let (next, overflow) = sum.addingReportingOverflow(value)
            return overflow ? (value < 0 ? .min : .max) : next
        }
    }
}

extension FixedWidthInteger {
    /// `value` without its fraction, limited to the range of the type; 0 if it is not a number.
    package init(clamping value: Double) {
        if value.isNaN {
            self = 0
        } else if let exact = Self(exactly: value.rounded(.towardZero)) {
            self = exact
        } else {
            self = value < 0 ? .min : .max
        }
    }
}
