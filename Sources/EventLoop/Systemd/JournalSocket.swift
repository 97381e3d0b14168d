// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The socket at which journald receives entries. Belongs to one thread.
package final class JournalSocket {
    private let socket: DatagramSocket

    package static let standardPath = "/run/systemd/journal/socket"

    /// The size that one datagram can have on every machine.
    private static let longestMessage = 32_768

    /// Nil if the path is invalid, or no descriptor is free.
    package init?(path: String = JournalSocket.standardPath) {
        guard let socket = DatagramSocket(path) else { return nil }
        self.socket = socket
    }

    /// Whether `descriptor` leads to the journal, according to `variable` (JOURNAL_STREAM: device and
    /// inode of the original descriptor, separated by a colon).
    package static func isJournal(_ descriptor: Int32, _ variable: String?) -> Bool {
        let parts = (variable ?? "").split(separator: ":", omittingEmptySubsequences: false)
        var status = stat()
        guard parts.count == 2, let device = UInt64(parts[0]), let inode = UInt64(parts[1]),
            fstat(descriptor, &status) == 0
        else { return false }
        return UInt64(status.st_dev) == device && UInt64(status.st_ino) == inode
    }

    /// False without a receiver.
    package func send(_ entry: JournalEntry) -> Bool {
        switch socket.send(entry.bytes) {
        case 0: return true
        case EMSGSIZE, ENOBUFS:
            var entry = entry
            let message = (entry["MESSAGE"] ?? "").utf8
            guard message.count > Self.longestMessage else { return false }
            entry["MESSAGE"] =
                String(decoding: message.prefix(Self.longestMessage), as: UTF8.self) + "…"
            return socket.send(entry.bytes) == 0
        default: return false
        }
    }
}
