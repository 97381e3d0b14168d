// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// The limits of a host's queues; Docs/architecture.md describes the behaviour at each limit.
enum HostLimits {
    /// Requests without a reply: many only while the store is busy. Above the limit they are refused.
    static let tickets = 10_000
    /// Bytes of their parameters.
    static let ticketBytes = 64 << 20
    /// Events that wait for a busy store: those of the tickets, and the host's own, which replace each other or come
    /// once for each attempt. Above the limit the host ends, since none of them may be lost.
    static let events = 20_000
    /// Events that wait while one is handled: more follow only from events that cause each other, which is a fault of
    /// bgrun and ends the host.
    static let sent = 100_000
    /// Bytes of lines and other changes that are not stored yet. Above the limit handlers wait in `write`.
    static let unsavedBytes = 32 << 20
    /// Each handler has one; further ones come from threads that do not wait for each other.
    static let checkpoints = 64
    /// Identifiers that are logged as registered; a plugin may invent names that match a wildcard.
    static let registered = 10_000
}

extension Event {
    /// Bytes chosen by the caller.
    var size: Int {
        switch self {
        case .submit(let submission, _), .trigger(let submission, _):
            submission.identifier.utf8.count + (submission.parameters?.utf8.count ?? 0)
        case .cancel(let identifier, _), .expire(let identifier, _, _): identifier.utf8.count
        default: 0
        }
    }
}

extension StoreChange {
    /// Its approximate size in memory, in bytes.
    var size: Int {
        switch self {
        case .output(_, _, let text, _): Self.own + text.utf8.count
        case .lastOutput(_, _, let lines):
            lines.reduce(Self.own) { $0 + Self.own + $1.line.text.utf8.count }
        case .event(let line): Self.own + line.text.utf8.count
        default: Self.own
        }
    }

    /// Bytes besides its text.
    private static let own = 256
}
