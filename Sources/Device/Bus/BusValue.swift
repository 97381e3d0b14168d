// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// A value of a D-Bus message; a variant is represented by its contents.
indirect enum BusValue: Equatable, Sendable {
    case bool(Bool)
    /// Any nonnegative integer.
    case unsigned(UInt64)
    case signed(Int64)
    case double(Double)
    /// A file descriptor, which belongs to the message.
    case descriptor(Int32)
    /// Text, an object path or a signature.
    case text(String)
    case list([BusValue])
    case dictionary([String: BusValue])
    case structure([BusValue])

    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var descriptor: Int32? { if case .descriptor(let value) = self { value } else { nil } }
    var text: String? { if case .text(let value) = self { value } else { nil } }

    var unsigned: UInt64? {
        switch self {
        case .unsigned(let value): value
        case .signed(let value): UInt64(exactly: value)
        default: nil
        }
    }

    /// The members of a list or a structure; empty for other values.
    var members: [BusValue] {
        switch self {
        case .list(let values), .structure(let values): values
        default: []
        }
    }

    /// All values of a message in order, up to the first unreadable one.
    static func all(in message: OpaquePointer?, _ systemd: bgrun_systemd) -> [BusValue] {
        var values: [BusValue] = []
        while let value = BusValue(next: message, systemd) { values.append(value) }
        return values
    }

    /// Takes the next value from `message`; nil at the end of it or of the open container.
    private init?(next message: OpaquePointer?, _ systemd: bgrun_systemd) {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard systemd.sd_bus_message_peek_type(message, &type, &contents) > 0 else { return nil }
        let basic = type
        func read<Value: BitwiseCopyable>(_ nothing: Value) -> Value {
            var value = nothing
            _ = systemd.sd_bus_message_read_basic(message, basic, &value)
            return value
        }
        switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
        case "b": self = .bool(read(Int32(0)) != 0)
        case "y": self = .unsigned(UInt64(read(UInt8(0))))  // fits: unsigned
        case "q": self = .unsigned(UInt64(read(UInt16(0))))  // fits: unsigned
        case "u": self = .unsigned(UInt64(read(UInt32(0))))  // fits: unsigned
        case "t": self = .unsigned(read(UInt64(0)))
        case "n": self = .signed(Int64(read(Int16(0))))
        case "i": self = .signed(Int64(read(Int32(0))))
        case "h": self = .descriptor(read(Int32(-1)))  // fits: it is one
        case "x": self = .signed(read(Int64(0)))
        case "d": self = .double(read(Double(0)))
        case "s", "o", "g":
            let text = read(UnsafePointer<CChar>?.none)
            self = .text(text.map { String(cString: $0) } ?? "")
        case "a", "v", "r", "e":
            guard systemd.sd_bus_message_enter_container(message, type, contents) > 0
            else { return nil }
            let isDictionary = contents?.pointee == CChar(bitPattern: UInt8(ascii: "{"))
            let values = Self.all(in: message, systemd)
            _ = systemd.sd_bus_message_exit_container(message)
            self.init(values, in: Character(UnicodeScalar(UInt8(bitPattern: type))), isDictionary)
        default: return nil
        }
    }

    private init(_ values: [BusValue], in container: Character, _ isDictionary: Bool) {
        switch container {
        case "v": self = values.first ?? .structure([])
        case "a" where isDictionary:
            var entries: [String: BusValue] = [:]
            for entry in values.map(\.members) where entry.count == 2 {
                if let key = entry[0].text { entries[key] = entry[1] }
            }
            self = .dictionary(entries)
        case "a": self = .list(values)
        default: self = .structure(values)
        }
    }
}
