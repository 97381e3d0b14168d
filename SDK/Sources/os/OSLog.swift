// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

/// The importance of a message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public init(_ rawValue: UInt8) {
        self.rawValue = rawValue
    }

    public static let `default` = OSLogType(0x00)
    public static let info = OSLogType(0x01)
    public static let debug = OSLogType(0x02)
    public static let error = OSLogType(0x10)
    public static let fault = OSLogType(0x11)

    /// The level of bgrun's log; it has no level above error.
    var level: PluginRuntime.LogLevel {
        switch self {
        case .debug: .debug
        case .error, .fault: .error
        default: .info
        }
    }
}

/// The origin of messages, which go to the log of the running attempt.
public final class OSLog: NSObject, Sendable {
    /// Predefined categories of a log.
    public struct Category: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public static let pointsOfInterest = Category(rawValue: "PointsOfInterest")
        public static let dynamicTracing = Category(rawValue: "DynamicTracing")
        public static let dynamicStackTracing = Category(rawValue: "DynamicStackTracing")
    }

    /// The log without a category.
    public static let `default` = OSLog(nil, isEnabled: true)
    /// Writes nothing.
    public static let disabled = OSLog(nil, isEnabled: false)

    private let category: String?
    private let isEnabled: Bool

    private init(_ category: String?, isEnabled: Bool) {
        self.category = category
        self.isEnabled = isEnabled
    }

    /// The category precedes each message; the subsystem is not written, because it is the app.
    public convenience init(subsystem: String, category: String) {
        self.init(category, isEnabled: true)
    }

    public convenience init(subsystem: String, category: Category) {
        self.init(category.rawValue, isEnabled: true)
    }

    /// Whether a message of this level is written: yes, unless the log is `disabled`.
    public func isEnabled(type: OSLogType) -> Bool {
        isEnabled
    }

    func write(_ level: PluginRuntime.LogLevel, _ message: @autoclosure () -> String) {
        guard isEnabled else { return }
        let start = category.map { "[\($0)] " } ?? ""
        PluginRuntime.current.log(level, start + message())
    }
}

/// Writes a message; `args` replace the `%` directives of the format.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default,
    type: OSLogType = .default, _ args: Any...
) {
    log.write(type.level, LogFormat.fill("\(message)", args))
}

/// Writes a message; `args` replace the `%` directives of the format.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default,
    _ message: StaticString, _ args: Any...
) {
    log.write(type.level, LogFormat.fill("\(message)", args))
}

/// Writes an interpolated message.
@_disfavoredOverload
public func os_log(_ message: OSLogMessage) {
    OSLog.default.write(.info, message.text)
}

/// Writes an interpolated message.
@_disfavoredOverload
public func os_log(_ logLevel: OSLogType, log: OSLog = .default, _ message: OSLogMessage) {
    log.write(logLevel.level, message.text)
}

/// The format of `os_log`: that of printf, with options such as `%{public}@`.
enum LogFormat {
    /// Writes an argument whose type does not match its directive as Swift prints it; keeps a
    /// directive without an argument.
    static func fill(_ format: String, _ arguments: [Any]) -> String {
        var result = ""
        var rest = format[...]
        var arguments = arguments[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            var options = Substring()
            if rest.first == "{", let end = rest.firstIndex(of: "}") {
                options = rest[rest.index(after: rest.startIndex)..<end]
                rest = rest[rest.index(after: end)...]
            }
            let flags = rest.prefix { !$0.isLetter && $0 != "@" }
            rest = rest[flags.endIndex...]
            let length = rest.prefix { "hlqzjtL".contains($0) }
            rest = rest[length.endIndex...]
            guard let conversion = rest.popFirst() else { return result + "%" + flags + length }
            guard let argument = arguments.popFirst() else {
                result += "%\(flags)\(length)\(conversion)"
                continue
            }
            let isHidden = options.contains("private") || options.contains("sensitive")
            result += isHidden ? "<private>" : write(argument, flags, conversion)
        }
        return result + rest
    }

    private static func write(
        _ argument: Any, _ flags: Substring, _ conversion: Character
    ) -> String {
        switch (conversion, argument) {
        case ("d", let number as any BinaryInteger), ("i", let number as any BinaryInteger),
            ("u", let number as any BinaryInteger):
            String(format: "%\(flags)lld", Int64(clamping: number))
        case ("x", let number as any BinaryInteger), ("X", let number as any BinaryInteger),
            ("o", let number as any BinaryInteger):
            String(format: "%\(flags)ll\(conversion)", UInt64(truncatingIfNeeded: number))
        case ("f", let number as any BinaryFloatingPoint),
            ("g", let number as any BinaryFloatingPoint),
            ("e", let number as any BinaryFloatingPoint):
            String(format: "%\(flags)\(conversion)", Double(number))
        case (_, let error as NSError) where !(argument is any CustomStringConvertible):
            error.localizedDescription
        default: "\(argument)"
        }
    }
}
