// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How much a peer of a `LineServer` may take.
public struct LineLimits: Sendable {
    /// Connections at a time of the socket's user and root.
    public var connections = 256
    /// Of all other users together, and of each of them.
    public var connectionsOfOthers = 32
    public var connectionsOfOneUser = 8
    /// Bytes of a request.
    public var longestLine = 2 << 20
    public var longestLineOfOthers = 16 << 10
    /// Above so many bytes of answers that were not taken, no further request is taken.
    public var unread = 64 << 10
    /// Requests that are not answered yet.
    public var openRequests = 64
    /// Requests taken of one caller before the others have their turn.
    public var requestsPerRound = 16
    /// The part of the loop's time that goes to users other than the socket's and root; 1 to 100.
    public var percentOfOthers: Int64 = 10
    /// Nanoseconds without a request; nil: any time.
    public var idle: Int64? = 60_000_000_000
    /// Nanoseconds in which an answer must be taken.
    public var taking: Int64 = 30_000_000_000

    public init() {}

    func longestLine(isOwner: Bool) -> Int {
        isOwner ? longestLine : longestLineOfOthers
    }

    var shortest: Int64 { min(idle ?? taking, taking) }
}

/// A connection of a `LineServer`.
///
/// Belongs to the loop's thread.
public final class LineCaller {
    public let peer: PeerCredentials
    /// It is sent lines without asking, so silence does not end it.
    public var isLasting = false
    /// Called when everything was taken by the caller.
    public var caughtUp: (() -> Void)?
    /// Called once, when the connection has ended.
    public var closed: (() -> Void)?

    let descriptor: Int32
    let isOwner: Bool
    private weak var server: LineServer?
    var input = LineInput()
    var output = LineOutput()
    /// The answers to requests, in their order; nil: not answered yet.
    var answers: [[UInt8]?] = []
    /// Answers that have left `answers`.
    var answered = 0
    /// It sends no more.
    var isDone = false
    /// Nothing can be sent to it.
    var hasHungUp = false
    /// Whether the loop waits for its requests.
    var isRead = true
    /// Whether its requests are being taken now.
    var isPumped = false
    /// When it sent its last request, or got its last answer.
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

    /// Sends a line that answers no request; false when the one before was not taken yet, or the
    /// connection has ended.
    public func push(_ line: [UInt8]) -> Bool {
        server?.push(line, to: self) ?? false
    }

    /// When its time is over if nothing happens; nil: it is not its turn to do something.
    func end(_ limits: LineLimits) -> Int64? {
        if isLasting { return nil }
        if !output.isEmpty { return activeAt + limits.taking }
        return answers.isEmpty ? limits.idle.map { activeAt + $0 } : nil
    }
}

/// Lines on their way to a caller.
struct LineOutput {
    private var bytes: [UInt8] = []
    private var sent = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - sent }

    mutating func append(_ line: [UInt8]) {
        bytes += line
        bytes.append(10)
    }

    mutating func removeAll() {
        bytes = []
        sent = 0
    }

    /// Sends what `descriptor` takes now; false when its other end is gone.
    mutating func send(to descriptor: Int32) -> Bool {
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno != EINTR {
                return errno == EAGAIN
            }
        }
        removeAll()
        return true
    }
}
