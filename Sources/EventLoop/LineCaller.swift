// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The resource limits of a `LineServer` and its peers.
package struct LineLimits: Sendable {
    /// The maximum number of connections of the socket's user and root.
    package var connections = 256
    /// The maximum number of connections of all other users together, and of each of them.
    package var connectionsOfOthers = 32
    var connectionsOfOneUser = 8
    /// The maximum size of a request in bytes.
    package var longestLine = 2 << 20
    var longestLineOfOthers = 16 << 10
    /// The maximum number of unread answer bytes at which another request is accepted.
    var unread = 64 << 10
    /// The maximum number of unanswered requests.
    var openRequests = 64
    /// The maximum number of requests accepted from one caller before other callers are served.
    var requestsPerRound = 16
    /// The percentage of the loop's time for users other than the socket's owner and root; 1 to
    /// 100.
    var percentOfOthers: Int64 = 10
    /// The maximum time without a request, in nanoseconds; nil: unlimited.
    package var idle: Int64? = 60_000_000_000
    /// The time limit for reading an answer, in nanoseconds.
    var taking: Int64 = 30_000_000_000

    package init() {}

    func longestLine(isOwner: Bool) -> Int { isOwner ? longestLine : longestLineOfOthers }

    var shortest: Int64 { min(idle ?? taking, taking) }
}

/// A connection of a `LineServer`. Belongs to the loop's thread.
package final class LineCaller {
    package let peer: PeerCredentials
    /// Whether it must not ask, for the owner of the server; nil: not known yet. It does not change.
    package var isConfined: Bool?
    /// It receives unsolicited lines, so it does not time out when idle.
    package var isLasting = false
    /// Called when the caller has read everything.
    package var caughtUp: (() -> Void)?
    /// Called once, when the connection has ended.
    package var closed: (() -> Void)?

    let descriptor: Int32
    let isOwner: Bool
    private weak var server: LineServer?
    var input = LineInput()
    var output = LineOutput()
    /// The answers to requests, in their order; nil: unanswered.
    var answers: [[UInt8]?] = []
    /// The number of answers removed from `answers`.
    var answered = 0
    /// The number of accepted requests.
    var requests: Int { answered + answers.count }
    /// It has closed its sending side.
    var isDone = false
    /// Sending to it has failed.
    var hasHungUp = false
    /// Whether the loop polls it for requests.
    var isRead = true
    /// Whether its requests are being processed now.
    var isPumped = false
    /// The time of its last request, or of its last answer.
    var activeAt: Int64

    init(
        _ descriptor: Int32, _ peer: PeerCredentials, isOwner: Bool, _ server: LineServer,
        at now: Int64
    ) {
        self.descriptor = descriptor
        self.peer = peer
        self.isOwner = isOwner
        self.server = server
        activeAt = now
    }

    /// Whether answers can no longer reach it.
    package var isGone: Bool { hasHungUp || server == nil }

    /// Sends an unsolicited line; false if the previous one was not read yet, or the connection has
    /// ended.
    package func push(_ line: [UInt8]) -> Bool { server?.push(line, to: self) ?? false }

    /// The time at which it times out; nil: no action of the caller is pending.
    func end(_ limits: LineLimits) -> Int64? {
        if isLasting { return nil }
        if !output.isEmpty { return activeAt + limits.taking }
        return answers.isEmpty ? limits.idle.map { activeAt + $0 } : nil
    }
}

/// The send buffer of a caller. Removes sent bytes before they outnumber the unsent ones.
struct LineOutput {
    private(set) var bytes: [UInt8] = []
    private var sent = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - sent }

    mutating func append(_ line: [UInt8]) { append(whole: line + [10]) }

    /// - Parameter line: Including its line feed.
    mutating func append(whole line: [UInt8]) {
        if sent >= count {
            bytes.removeFirst(sent)
            sent = 0
        }
        bytes += line
    }

    mutating func removeAll() {
        bytes = []
        sent = 0
    }

    /// Sends as many bytes as `descriptor` accepts now; false if the peer has disconnected.
    mutating func send(to descriptor: Int32) -> Bool {
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                precondition(count <= bytes.count - sent, "\(count) bytes were sent")
                sent += count
            } else if errno != EINTR {
                return errno == EAGAIN
            }
        }
        removeAll()
        return true
    }
}
