// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a host tells the daemon: how much of the machine's room it takes, and whether it wants more.
struct ShareReport: Equatable {
    /// Attempts that run and take part of the room.
    var running: Int32
    /// Whether one more would be launched, were there room.
    var wantsMore: Bool
    /// The grant this report accounts for: what it allowed runs, or its room is not used. 0: none.
    var answers: Int32

    /// One packet each, so that none is ever read in part; false when it could not be sent now.
    func send(over socket: Int32) -> Bool {
        SharePacket.send([running, wantsMore ? 1 : 0, answers], over: socket)
    }

    /// The next one that has come; nil when there is none, or the other side is gone.
    static func receive(from socket: Int32) -> ShareReport? {
        SharePacket<Int32>.receive(3, from: socket).map {
            ShareReport(running: $0[0], wantsMore: $0[1] != 0, answers: $0[2])
        }
    }
}

/// What the daemon tells a host: so many attempts may be launched.
struct ShareGrant: Equatable {
    /// Above 0, and another one each time.
    var number: Int32
    var count: Int32
    /// It is void after this elapsed instant: the daemon gives the room to others then.
    var deadline: Int64

    func send(over socket: Int32) -> Bool {
        SharePacket.send([Int64(number), Int64(count), deadline], over: socket)
    }

    static func receive(from socket: Int32) -> ShareGrant? {
        SharePacket<Int64>.receive(3, from: socket).map {
            ShareGrant(
                number: Int32(clamping: $0[0]), count: Int32(clamping: $0[1]), deadline: $0[2])
        }
    }
}

/// Integers in one packet. Nothing here waits: a side that was stopped must not stop the other.
private enum SharePacket<Integer: FixedWidthInteger> {
    static func send(_ values: [Integer], over socket: Int32) -> Bool {
        values.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
                == $0.count
        }
    }

    static func receive(_ count: Int, from socket: Int32) -> [Integer]? {
        var values = [Integer](repeating: 0, count: count)
        let size = count * MemoryLayout<Integer>.size
        return recv(socket, &values, size, Int32(MSG_DONTWAIT)) == size ? values : nil
    }
}
