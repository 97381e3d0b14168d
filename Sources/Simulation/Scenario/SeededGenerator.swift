// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// Each part of a scenario has a separate stream, so that an added task does not change the numbers of others.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix

    package init(seed: UInt64) { numbers = SplitMix(seed: seed) }

    package init(seed: UInt64, stream: String) {
        var first = SplitMix(seed: seed)
        numbers = SplitMix(seed: first.next() ^ stream.fnv1a)
    }

    package mutating func next() -> UInt64 { numbers.next() }

    /// At least 0, less than 1: 53 bits.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// From `-limit` to `limit`, in nanoseconds.
    mutating func offset(upTo limit: Interval) -> Int64 {
        guard limit > .zero else { return 0 }
        return Int64(clamping: ((unit() * 2 - 1) * Double(limit.nanoseconds)).rounded())
    }

    mutating func length(of distribution: Distribution) -> Interval {
        let nanoseconds: Double
        switch distribution {
        case .constant(let length):
            nanoseconds = Double(length.nanoseconds)
        case .uniform(let from, let to):
            nanoseconds =
                Double(from.nanoseconds)
                + unit() * Double(to.nanoseconds.saturatingSubtracting(from.nanoseconds))
        case .normal(let mean, let deviation):
            // Box and Muller.
            let radius = (-2 * log(1 - unit())).squareRoot()
            let factor = radius * cos(2 * .pi * unit())
            nanoseconds = Double(mean.nanoseconds) + factor * Double(deviation.nanoseconds)
        case .exponential(let mean):
            nanoseconds = -log(1 - unit()) * Double(mean.nanoseconds)
        }
        let milliseconds = (nanoseconds / 1_000_000).rounded()
        return .milliseconds(max(1, Int64(clamping: min(milliseconds, 1e14))))
    }
}
