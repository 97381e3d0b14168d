// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a host tells the daemon: how much of the machine's room it takes, and whether it wants more.
struct ShareReport: Equatable {
    /// Attempts that run and take part of the room.
    var running: Int32
    /// Whether one more would be launched, were there room.
    var wantsMore: Bool
    /// Attempts it was granted that this report accounts for: they run, or their room is not used.
    var answers: Int32

    /// One packet each, so that none is ever read in part.
    func send(over socket: Int32) -> Bool {
        let packet = [running, wantsMore ? 1 : 0, answers]
        return packet.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count
        }
    }

    /// The next one that has come; nil when there is none, or the other side is gone.
    static func receive(from socket: Int32) -> ShareReport? {
        var packet: [Int32] = [0, 0, 0]
        let size = 3 * MemoryLayout<Int32>.size
        guard recv(socket, &packet, size, Int32(MSG_DONTWAIT)) == size else { return nil }
        return ShareReport(running: packet[0], wantsMore: packet[1] != 0, answers: packet[2])
    }
}
