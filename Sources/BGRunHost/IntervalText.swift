// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

extension Interval {
    /// As a manifest writes it: `1d12h`, `30s`, `250ms`; the two largest units.
    public var text: String {
        let units: [(String, Int64)] = [
            ("d", 86_400_000_000_000), ("h", 3_600_000_000_000), ("m", 60_000_000_000),
            ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1),
        ]
        guard nanoseconds > 0,
            let first = units.firstIndex(where: { nanoseconds >= $0.1 })
        else { return "0s" }
        let (name, size) = units[first]
        let whole = "\(nanoseconds / size)\(name)"
        guard first + 1 < 4 else { return whole }
        let (nextName, nextSize) = units[first + 1]
        let rest = nanoseconds % size / nextSize
        return rest > 0 ? whole + "\(rest)\(nextName)" : whole
    }
}
