// SPDX-License-Identifier: Apache-2.0

/// The percent-encoding of addresses and forms.
package enum PercentCoding {
    /// `text` as one part of a path, or one value of a query.
    package static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        // A path component of dots alone would have another meaning.
        let isDots = text.allSatisfy { $0 == "." }
        return isDots ? String(repeating: "%2E", count: text.count) : result
    }

    /// Nil if the encoding is invalid, or the result is not UTF-8.
    static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit),
                    let low = rest.popFirst().flatMap(digit)
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Parses `a=1&b=2`; keeps the first value of each name.
    static func fields(_ text: String) -> [String: String]? {
        var fields: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0], plusIsSpace: true),
                let value = decoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { return nil }
            if fields[name] == nil { fields[name] = value }
        }
        return fields
    }

    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}

extension UInt8 {
    var isASCIILetterOrDigit: Bool {
        switch self {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }
}
