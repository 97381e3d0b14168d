// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

extension Interval {
    /// Reads a length of time as a manifest writes it, `90s` or `1d12h`; nil when it is none.
    public init?(manifestText text: String) {
        guard let interval = try? Quantity.duration(text) else { return nil }
        self = interval
    }
}
