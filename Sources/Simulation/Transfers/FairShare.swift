// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    /// Divides `self` bytes per second among users with caps by max-min fairness: no user that could take more gets
    /// less than another.
    func sharedFairly(among caps: [Int64?]) -> [Int64] {
        var shares = [Int64](repeating: 0, count: caps.count)
        var left = self
        // The smallest demand is served first: the rest is divided among the others.
        let order = caps.indices.sorted { (caps[$0] ?? .max, $0) < (caps[$1] ?? .max, $1) }
        for (place, user) in order.enumerated() {
            let part = left / Int64(caps.count - place)
            shares[user] = Swift.min(caps[user] ?? .max, part)
            left -= shares[user]
        }
        return shares
    }

    /// The bytes transferred in this many nanoseconds at `self` bytes per second.
    func bytes(in nanoseconds: Int64) -> Int64 {
        Int64(clamping: Int128(self) * Int128(nanoseconds) / 1_000_000_000)
    }

    /// The nanoseconds to transfer this many bytes at `self` bytes per second; nil: never.
    func nanoseconds(for bytes: Int64) -> Int64? {
        guard self > 0 else { return nil }
        return Int64(clamping: (Int128(bytes) * 1_000_000_000 + Int128(self) - 1) / Int128(self))
    }
}
