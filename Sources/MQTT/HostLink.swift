// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// The socket to the host.
enum HostLink {
    static let descriptor: Int32 = 3
    /// The line that the time limit of connecting has passed.
    static let noAnswer = Array(
        state(isConnected: false, "the broker does not answer").utf8)

    /// Reports the state of the connection.
    static func tell(isConnected: Bool, _ problem: String? = nil) {
        send(state(isConnected: isConnected, problem))
    }

    private static func state(isConnected: Bool, _ problem: String?) -> String {
        var members = [("isConnected", "\(isConnected)")]
        if let problem { members.append(("problem", quoted(problem))) }
        return JSONText.object(members) + "\n"
    }

    /// Passes a message to the host; of one longer than `limit` bytes, only its size.
    static func hand(_ number: Int64, topic: String, _ payload: UnsafeRawBufferPointer, limit: Int)
    {
        // Shortened for display.
        let name = quoted(String(String.UnicodeScalarView(topic.unicodeScalars.prefix(200))))
        let content =
            payload.count > limit
            ? ("size", "\(payload.count)") : ("payload", "\"\(Base64.text(payload))\"")
        send(
            JSONText.object([("number", "\(number)"), ("topic", name), content]) + "\n")
    }

    static func end(_ code: Int32, _ problem: String) -> Never {
        tell(isConnected: false, problem)
        exit(code)
    }

    /// Ends this process if the host has disconnected: messages then have no receiver.
    private static func send(_ line: String) {
        var rest = Array(line.utf8)
        while !rest.isEmpty {
            let count = Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(0) }
            rest.removeFirst(count)
        }
    }

    /// Keeps a broker's control characters from a terminal.
    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }
        return JSONText.string(String(String.UnicodeScalarView(scalars)))
    }
}

/// RFC 4648, section 4.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for index in 0..<3 {
                // fits: a byte
                bits = bits << 8 | (index < group.count ? UInt32(group[start + index]) : 0)
            }
            for index in 0..<4 {
                let sextet = alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)]
                text.append(index <= group.count ? sextet : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
