// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A host's message to the daemon: the number of its used shared slots, and whether it wants more.
struct ShareReport: Equatable {
    /// Running attempts that use shared slots.
    var running: Int32
    /// Whether one more would be launched with a free slot.
    var wantsMore: Bool
    /// The grant this report accounts for: its attempts run, or its slots are unused. 0: no grant.
    /// Negative: the ping that it answers.
    var answers: Int32

    /// Sends one packet per message, so that none is read partially; false if it could not be sent
    /// now.
    func send(over socket: Int32) -> Bool {
        SharePacket.send([running, wantsMore ? 1 : 0, answers], over: socket)
    }

    /// The next received message; nil if no message has arrived or the peer has disconnected.
    static func receive(from socket: Int32) -> ShareReport? {
        SharePacket<Int32>.receive(3, from: socket).map {
            ShareReport(running: $0[0], wantsMore: $0[1] != 0, answers: $0[2])
        }
    }
}

/// A message from the daemon to a host.
enum ShareOrder: Equatable {
    case grant(ShareGrant)
    /// This many attempts must end: their slots go to other apps.
    case reclaim(Int32)
    /// A ping: the host must answer with a report for `-number`; positive.
    case ping(Int32)

    func send(over socket: Int32) -> Bool {
        let values: [Int64] =
            switch self {
            case .grant(let grant): [Int64(grant.number), Int64(grant.count), grant.deadline]
            case .reclaim(let count): [0, Int64(count), 0]
            case .ping(let number): [-Int64(number), 0, 0]
            }
        return SharePacket.send(values, over: socket)
    }

    /// The next received message; nil if no message has arrived or the peer has disconnected.
    static func receive(from socket: Int32) -> ShareOrder? {
        SharePacket<Int64>.receive(3, from: socket).map {
            let number = Int32(clamping: $0[0])
            let count = Int32(clamping: $0[1])
            if number == 0 { return .reclaim(max(0, count)) }
            guard number > 0 else { return .ping(Int32(clamping: -Int64(number))) }
            return .grant(ShareGrant(number: number, count: max(0, count), deadline: $0[2]))
        }
    }
}

/// The number of attempts that may be launched.
struct ShareGrant: Equatable {
    /// Positive, and different for each grant.
    var number: Int32
    var count: Int32
    /// The grant expires at this elapsed instant: the daemon then gives the slots to others.
    var deadline: Int64
}

/// Integers in one packet. Never blocks: a stopped side must not stop the other.
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
