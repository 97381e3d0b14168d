// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

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
            if case .tooLarge = error { return true }
            return false
        }
    }

    /// The rounded duration for people: the two largest units down to seconds, `1d12h`, `30s`,
    /// `250ms`.
    package var text: String {
        let units = Quantity.shownUnits + [("us", 1_000), ("ns", 1)]
        guard nanoseconds > 0, let first = units.firstIndex(where: { nanoseconds >= $0.scale })
        else { return "0s" }
        let (name, size) = units[first]
        let whole = "\(nanoseconds / size)\(name)"
        guard size > 1_000_000_000 else { return whole }
        let (nextName, nextSize) = units[first + 1]
        let rest = nanoseconds % size / nextSize
        return rest > 0 ? whole + "\(rest)\(nextName)" : whole
    }
}
