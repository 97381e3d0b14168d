// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Numbers of bytes, for people.
package enum ByteText {
    /// `1.5 MB`; decimal units, as usual for networks.
    package static func text(_ bytes: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        guard unit > 0, value < 99.95 else {
            return "\(Int64(clamping: value.rounded())) \(units[unit])"
        }
        return "\(value.tenths) \(units[unit])"
    }

    /// `[######----]  61%` for 0 to 1; clamps other numbers.
    package static func bar(_ fraction: Double) -> String {
        cells(fraction) + " " + "\(percent(fraction))%".aligned(to: 4)
    }

    /// 61 for 0.619, rounded down: 100 only for a complete one.
    package static func percent(_ fraction: Double) -> Int {
        min(100, max(0, Int(clamping: fraction * 100)))
    }

    /// `[######----]`
    package static func cells(_ fraction: Double, of count: Int = 10) -> String {
        let full = min(count, max(0, Int(clamping: fraction * Double(count))))
        return "[" + String(repeating: "#", count: full)
            + String(repeating: "-", count: count - full) + "]"
    }
}

extension String {
    /// With spaces after it up to this width.
    package func padded(to width: Int) -> String { self + blank(to: width) }

    /// With spaces before it up to this width.
    package func aligned(to width: Int) -> String { blank(to: width) + self }

    private func blank(to width: Int) -> String {
        // fits: both are lengths of texts
        String(repeating: " ", count: Swift.max(0, width - count))
    }
}

extension Double {
    /// With one digit after the point, of a number that is not negative.
    package var tenths: String {
        let tenths = Int64(clamping: (self * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

/// A percentage for display, valid for any values that a handler or a server reports.
package enum Percentage {
    /// 0 to 1; nil while the total is unknown.
    package static func fraction(_ part: Int64, _ whole: Int64) -> Double? {
        whole > 0 ? min(1, max(0, Double(part) / Double(whole))) : nil
    }
}
