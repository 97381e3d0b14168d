// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// Writes messages to the log of the running attempt, at their level.
public struct Logger: Sendable {
    private let log: OSLog

    public init() {
        log = .default
    }

    public init(subsystem: String, category: String) {
        log = OSLog(subsystem: subsystem, category: category)
    }

    public init(_ log: OSLog) {
        self.log = log
    }

    public func log(_ message: OSLogMessage) { log.write(.info, message.text) }
    public func log(level: OSLogType, _ message: OSLogMessage) {
        log.write(level.level, message.text)
    }
    public func trace(_ message: OSLogMessage) { log.write(.debug, message.text) }
    public func debug(_ message: OSLogMessage) { log.write(.debug, message.text) }
    public func info(_ message: OSLogMessage) { log.write(.info, message.text) }
    public func notice(_ message: OSLogMessage) { log.write(.info, message.text) }
    public func warning(_ message: OSLogMessage) { log.write(.warning, message.text) }
    public func error(_ message: OSLogMessage) { log.write(.error, message.text) }
    public func critical(_ message: OSLogMessage) { log.write(.error, message.text) }
    public func fault(_ message: OSLogMessage) { log.write(.error, message.text) }
}

/// The privacy of an interpolated value: a value marked `private` or `sensitive` is written as
/// `<private>`; an unmarked value is written, because the log belongs to the app's own user.
public struct OSLogPrivacy: Hashable, Sendable {
    /// Whether hidden values can be distinguished.
    public struct Mask: Hashable, Sendable {
        public static let hash = Mask()
        public static let none = Mask()
    }

    let isHidden: Bool

    public static let auto = OSLogPrivacy(isHidden: false)
    public static let `public` = OSLogPrivacy(isHidden: false)
    public static let `private` = OSLogPrivacy(isHidden: true)
    public static let sensitive = OSLogPrivacy(isHidden: true)

    public static func auto(mask: Mask) -> OSLogPrivacy { .auto }
    public static func `private`(mask: Mask) -> OSLogPrivacy { .private }
    public static func sensitive(mask: Mask) -> OSLogPrivacy { .sensitive }
}

/// The format of an integer.
public struct OSLogIntegerFormatting: Sendable {
    let text: @Sendable (any BinaryInteger) -> String

    public static let decimal = Self { "\($0)" }
    public static let hex = Self { digits($0, radix: 16) }
    public static let octal = Self { digits($0, radix: 8) }
    /// In bytes, kilobytes and so on.
    public static let byteCount = Self {
        ByteCountFormatter.string(fromByteCount: Int64(clamping: $0), countStyle: .file)
    }

    public static func decimal(explicitPositiveSign: Bool = false, minDigits: Int = 0) -> Self {
        Self { number in
            let isNegative = "\(number)".hasPrefix("-")
            let digits = "\(number)".drop { $0 == "-" }
            let sign = isNegative ? "-" : explicitPositiveSign ? "+" : ""
            let zeros = String(repeating: "0", count: max(0, min(minDigits, 64) - digits.count))
            return sign + zeros + digits
        }
    }

    public static func hex(
        explicitPositiveSign: Bool = false, includePrefix: Bool = false, uppercase: Bool = false
    ) -> Self {
        Self { number in
            (includePrefix ? "0x" : "")
                + digits(number, radix: 16, uppercase: uppercase)
        }
    }

    private static func digits(
        _ number: some BinaryInteger, radix: Int, uppercase: Bool = false
    ) -> String {
        String(UInt64(truncatingIfNeeded: number), radix: radix, uppercase: uppercase)
    }
}

/// The format of a floating-point number.
public struct OSLogFloatFormatting: Sendable {
    let format: String

    public static let fixed = Self(format: "%f")
    public static let exponential = Self(format: "%e")
    public static let hybrid = Self(format: "%g")

    public static func fixed(precision: Int) -> Self {
        Self(format: "%.\(max(0, min(precision, 64)))f")
    }
    public static func exponential(precision: Int) -> Self {
        Self(format: "%.\(max(0, min(precision, 64)))e")
    }
    public static func hybrid(precision: Int) -> Self {
        Self(format: "%.\(max(0, min(precision, 64)))g")
    }
}

/// The format of a Boolean.
public enum OSLogBoolFormat: Sendable {
    case truth
    case answer
}

/// The width of a string.
public struct OSLogStringAlignment: Sendable {
    let columns: Int
    let isLeft: Bool

    public static let none = Self(columns: 0, isLeft: true)

    public static func left(columns: Int) -> Self { Self(columns: columns, isLeft: true) }
    public static func right(columns: Int) -> Self { Self(columns: columns, isLeft: false) }

    func pad(_ text: String) -> String {
        let spaces = String(repeating: " ", count: max(0, min(columns, 1000) - text.count))
        return isLeft ? text + spaces : spaces + text
    }
}

/// The interpolated text of a message.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral, Sendable {
    let text: String

    public init(stringLiteral value: String) {
        text = value
    }

    public init(stringInterpolation: StringInterpolation) {
        text = stringInterpolation.text
    }

    /// Any value can be interpolated.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        var text = ""

        public init(literalCapacity: Int, interpolationCount: Int) {}

        public mutating func appendLiteral(_ literal: String) {
            text += literal
        }

        public mutating func appendInterpolation<Value>(
            _ value: @autoclosure () -> Value, align: OSLogStringAlignment = .none,
            privacy: OSLogPrivacy = .auto, attributes: String = ""
        ) {
            append(privacy) { align.pad("\(value())") }
        }

        public mutating func appendInterpolation<Value>(
            _ value: @autoclosure () -> Value?, align: OSLogStringAlignment = .none,
            privacy: OSLogPrivacy = .auto, attributes: String = ""
        ) {
            append(privacy) { align.pad(value().map { "\($0)" } ?? "nil") }
        }

        public mutating func appendInterpolation(
            _ value: @autoclosure () -> some BinaryInteger, format: OSLogIntegerFormatting,
            align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
        ) {
            append(privacy) { align.pad(format.text(value())) }
        }

        public mutating func appendInterpolation(
            _ value: @autoclosure () -> some BinaryFloatingPoint, format: OSLogFloatFormatting,
            align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
        ) {
            append(privacy) { align.pad(String(format: format.format, Double(value()))) }
        }

        public mutating func appendInterpolation(
            _ value: @autoclosure () -> Bool, format: OSLogBoolFormat,
            privacy: OSLogPrivacy = .auto
        ) {
            append(privacy) {
                switch format {
                case .truth: value() ? "true" : "false"
                case .answer: value() ? "YES" : "NO"
                }
            }
        }

        private mutating func append(_ privacy: OSLogPrivacy, _ value: () -> String) {
            text += privacy.isHidden ? "<private>" : value()
        }
    }
}
