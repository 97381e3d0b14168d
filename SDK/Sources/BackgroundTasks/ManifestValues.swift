// SPDX-License-Identifier: Apache-2.0

/// A duration in the manifest's format: `90d`, `1h30m`, `250ms`.
public struct ManifestDuration: Hashable, Sendable {
    public var duration: Duration

    public init(_ duration: Duration) {
        self.duration = duration
    }

    /// nil for an invalid duration: a number without a unit, units out of order, or too much.
    public init?(_ text: some StringProtocol) {
        guard
            let milliseconds = UnitSum.parse(
                text,
                units: [
                    ("w", 604_800_000), ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000),
                    ("s", 1_000), ("ms", 1),
                ])
        else { return nil }
        duration = .milliseconds(milliseconds)
    }
}

/// A size in bytes in the manifest's format: `64MiB`, `1GB`.
public struct ManifestSize: Hashable, Sendable {
    public var bytes: Int64

    public init(bytes: Int64) {
        self.bytes = bytes
    }

    /// nil for an invalid size: a number without a unit, or too much.
    public init?(_ text: some StringProtocol) {
        let units: [UnitSum.Unit] = [
            ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10),
            ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.name) }),
            let bytes = UnitSum.parse(text, units: [unit])
        else { return nil }
        self.bytes = bytes
    }
}

/// Integers, each with a unit, larger units first.
private enum UnitSum {
    typealias Unit = (name: String, factor: Int64)

    static func parse(_ text: some StringProtocol, units: [Unit]) -> Int64? {
        var rest = text[...]
        var left = units[...]
        var sum: Int64 = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(name.count)
            guard let number = Int64(digits), let at = left.firstIndex(where: { $0.name == name })
            else { return nil }
            let (product, isTooLarge) = number.multipliedReportingOverflow(by: left[at].factor)
            let (total, isTooMuch) = sum.addingReportingOverflow(product)
            guard !isTooLarge, !isTooMuch else { return nil }
            sum = total
            left = left[(at + 1)...]
        } while !rest.isEmpty
        return sum
    }
}

extension ManifestDuration: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "\"\(text)\" is not a length of time; write one like 90d or 1h30m"
            )
        }
        self = value
    }
}

extension ManifestSize: Decodable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" is not a size; write one like 64MiB")
        }
        self = value
    }
}
