// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Reads numbers with units.
package enum Quantity {
    enum Failure: Error, Equatable {
        /// A number without a unit.
        case noUnit
        /// An unknown unit, and the one that is probably meant.
        case unknownUnit(String, meant: String?)
        /// Larger units must come first, and each only once.
        case order(String)
        case notANumber
        case tooLarge
    }

    /// `90s`, `1d12h`: nanoseconds.
    static func duration(_ text: String) throws(Failure) -> Interval {
        var rest = Substring(text)
        var sum: Int64 = 0
        var lastScale = Int64.max
        repeat {
            let (count, unit) = try part(&rest)
            guard let scale = scales[unit] else {
                throw .unknownUnit(unit, meant: durationAliases[unit.lowercased()])
            }
            guard scale < lastScale else { throw .order(unit) }
            lastScale = scale
            let (product, tooLong) = count.multipliedReportingOverflow(by: scale)
            let (total, overflow) = sum.addingReportingOverflow(product)
            guard !tooLong, !overflow else { throw .tooLarge }
            sum = total
        } while !rest.isEmpty
        return Interval(nanoseconds: sum)
    }

    /// `64MiB`, `10MB`, `4096B`: bytes.
    static func size(_ text: String) throws(Failure) -> Int64 {
        var rest = Substring(text)
        let (count, unit) = try part(&rest)
        guard let scale = sizes[unit] else {
            throw .unknownUnit(unit, meant: sizeAliases[unit.lowercased()])
        }
        guard rest.isEmpty else { throw .notANumber }
        let (product, overflow) = count.multipliedReportingOverflow(by: scale)
        guard !overflow else { throw .tooLarge }
        return product
    }

    /// The duration in the largest units that represent it exactly: `1d12h`.
    package static func text(_ interval: Interval) -> String {
        var rest = interval.nanoseconds
        var text = ""
        for (unit, scale) in Interval.units where rest >= scale {
            text += "\(rest / scale)\(unit)"
            rest %= scale
        }
        return text.isEmpty ? "0s" : text
    }

    /// The size in the largest unit that represents it exactly: `4KiB`.
    package static func text(bytes: Int64) -> String {
        for (unit, scale) in [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] as [(_, Int64)]
        where bytes > 0 && bytes % scale == 0 {
            return "\(bytes / scale)\(unit)"
        }
        return "\(bytes)B"
    }

    private static func part(_ rest: inout Substring) throws(Failure) -> (Int64, String) {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        guard !digits.isEmpty else { throw .notANumber }
        rest = rest.dropFirst(digits.count)
        let unit = rest.prefix { $0.isLetter }
        rest = rest.dropFirst(unit.count)
        guard !unit.isEmpty else { throw rest.isEmpty ? .noUnit : .notANumber }
        guard let count = Int64(digits) else { throw .tooLarge }
        return (count, String(unit))
    }

    private static let scales: [String: Int64] = Dictionary(
        uniqueKeysWithValues: Interval.units.map { ($0.name, $0.scale) }
            + [("w", 7 * 86_400_000_000_000)])
    private static let durationAliases = [
        "sec": "s", "secs": "s", "second": "s", "seconds": "s", "s": "s", "min": "m", "mins": "m",
        "minute": "m", "minutes": "m", "m": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
        "h": "h", "day": "d", "days": "d", "d": "d", "week": "w", "weeks": "w", "w": "w",
        "msec": "ms", "millis": "ms", "milliseconds": "ms", "ms": "ms",
    ]
    private static let sizes: [String: Int64] = [
        "B": 1, "kB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "KiB": 1 << 10,
        "MiB": 1 << 20, "GiB": 1 << 30,
    ]
    private static let sizeAliases = [
        "b": "B", "byte": "B", "bytes": "B", "k": "KiB", "kb": "kB", "kib": "KiB", "m": "MiB",
        "mb": "MB", "mib": "MiB", "g": "GiB", "gb": "GB", "gib": "GiB",
    ]
}

extension Interval {
    /// Reads a duration in the manifest's format, `90s` or `1d12h`; nil if it is invalid.
    package init?(manifestText text: String) {
        guard let interval = try? Quantity.duration(text) else { return nil }
        self = interval
    }

    /// Whether it is a duration that an `Interval` cannot hold.
    package static func isTooLong(manifestText text: String) -> Bool {
        do throws(Quantity.Failure) {
            _ = try Quantity.duration(text)
            return false
        } catch {
            return error == .tooLarge
        }
    }
}
