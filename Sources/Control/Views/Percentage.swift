// SPDX-License-Identifier: Apache-2.0

/// A percentage for display, valid for any values that a handler or a server reports.
package enum Percentage {
    /// 0 to 100; nil while the total is unknown.
    package static func of(_ part: Int64, _ whole: Int64) -> Int? {
        whole > 0 ? Int(min(1, max(0, Double(part) / Double(whole))) * 100) : nil
    }
}
