// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Glibc

/// C values as text, for messages and logs.
enum CText {
    /// Strings are cut to this many bytes, arrays to this many strings.
    private static let longestString = 1000
    private static let mostStrings = 64

    /// The value at `address`. `strings` are followed as far as `count` says.
    static func describe(_ type: CType, at address: UnsafeRawPointer, count: Int64? = nil) -> String
    {
        switch type.type {
        case .void: return "nothing"
        case .f32: return "\(address.loadUnaligned(as: Float.self))"
        case .f64: return "\(type.type.real(at: address))"
        case .pointer: return pointer(type.type.pointer(at: address))
        case .string: return quoted(type.type.pointer(at: address))
        case .strings: return strings(type.type.pointer(at: address), count: count)
        case .u64: return "\(UInt64(bitPattern: type.type.integer(at: address)))"
        case .structure:
            let fields = zip(type.fields, type.offsets).map { field, offset in
                describe(field, at: address + offset)
            }
            return "{\(fields.joined(separator: ", "))}"
        default: return "\(type.type.integer(at: address))"
        }
    }

    private static func pointer(_ address: UnsafeRawPointer?) -> String {
        guard let address else { return "NULL" }
        return "0x" + String(UInt(bitPattern: address), radix: 16)
    }

    private static func strings(_ array: UnsafeRawPointer?, count: Int64?) -> String {
        guard let array else { return "NULL" }
        let stride = MemoryLayout<UnsafeRawPointer?>.stride
        var texts: [String] = []
        for index in 0..<max(0, count ?? .max) {
            guard index < mostStrings else {
                texts.append("...")
                break
            }
            let string = ForeignType.string.pointer(at: array + Int(index) * stride)
            if count == nil, string == nil { break }
            texts.append(quoted(string))
        }
        return "[\(texts.joined(separator: ", "))]"
    }

    private static func quoted(_ string: UnsafeRawPointer?) -> String {
        guard let string else { return "NULL" }
        return "\"\(text(string))\""
    }

    /// The C string at `string`, on one line.
    static func text(_ string: UnsafeRawPointer) -> String {
        let length = strnlen(string.assumingMemoryBound(to: CChar.self), longestString + 1)
        let bytes = UnsafeRawBufferPointer(start: string, count: min(length, longestString))
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\"", "\\": text += "\\\(scalar)"
            case "\0"..<" ", "\u{7f}": text += "\\u{\(String(scalar.value, radix: 16))}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return length > longestString ? text + "..." : text
    }

    /// The message of an errno: `No such file or directory (errno 2)`.
    static func error(_ number: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress,
                strerror_r(number, start, buffer.count) == 0
            else { return "errno \(number)" }
            return "\(String(cString: start)) (errno \(number))"
        }
    }
}
