// SPDX-License-Identifier: Apache-2.0

/// One entry of systemd's journal, in journald's format
/// (https://systemd.io/JOURNAL_NATIVE_PROTOCOL).
package struct JournalEntry: Sendable {
    private var fields: [(name: String, value: String)] = []

    /// - Parameters:
    ///   - priority: The syslog priority, from 0 (emergency) to 7 (debug).
    ///   - identifier: The source of the entry.
    package init(message: String, priority: Int, identifier: String) {
        self["MESSAGE"] = message
        self["PRIORITY"] = String(priority)
        self["SYSLOG_IDENTIFIER"] = identifier
    }

    /// A field; its name consists of capitals, digits and `_`, and begins with a capital.
    package subscript(name: String) -> String? {
        get { fields.first { $0.name == name }?.value }
        set {
            fields.removeAll { $0.name == name }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for field in fields {
            bytes += field.name.utf8
            if field.value.utf8.contains(UInt8(ascii: "\n")) {
                bytes.append(UInt8(ascii: "\n"))
                withUnsafeBytes(of: UInt64(field.value.utf8.count).littleEndian) { bytes += $0 }
            } else {
                bytes.append(UInt8(ascii: "="))
            }
            bytes += field.value.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }
}
