// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Monitors whether the host of an app answers. A host that does not answer is continued, then
/// terminated, then killed, so that every host ends within a bounded time.
package struct HostLifeRule: Equatable {
    enum Action: Equatable {
        /// Ping it.
        case ping
        /// SIGCONT: something may have stopped it.
        case resume
        /// SIGTERM: it does not answer.
        case terminate
        /// SIGKILL: it does not end.
        case kill
    }

    /// Nanoseconds.
    package struct Timeouts: Equatable, Sendable {
        /// The time until the first answer: a large store takes time to open.
        package var start: Int64 = 300_000_000_000
        /// Between two pings, and for each answer.
        package var answer: Int64 = 30_000_000_000
        /// The time from the request to end until its end: running attempts have their grace
        /// period. systemd's limit is TimeoutStopSec=330.
        package var end: Int64 = 300_000_000_000
        /// Minimum time between two SIGCONTs to a stopped host.
        package var stop: Int64 = 10_000_000_000
    }

    private enum Stage: Equatable {
        /// The next ping is sent at this instant.
        case quiet(askAt: Int64)
        /// It was pinged and must answer by then.
        case asked(until: Int64)
        /// It did not answer, was continued and pinged again.
        case doubted(until: Int64)
        /// It did not answer again and must end by then.
        case condemned(until: Int64)
        /// It was killed; no further action is possible.
        case killed
    }

    private let timeouts: Timeouts
    private var stage: Stage
    /// It was asked to end and must have ended by then.
    private var endsBy: Int64?
    private var continuedAt: Int64?

    init(_ timeouts: Timeouts, startedAt elapsed: Int64) {
        self.timeouts = timeouts
        stage = .asked(until: elapsed.saturatingAdding(timeouts.start))
    }

    /// The elapsed instant at which `tick` is due; nil after the kill.
    var next: Int64? {
        let date: Int64
        switch stage {
        case .quiet(let at), .asked(let at), .doubted(let at), .condemned(let at): date = at
        case .killed: return nil
        }
        return min(date, endsBy ?? .max)
    }

    /// It answered.
    mutating func heard(at elapsed: Int64) {
        switch stage {
        case .quiet, .asked, .doubted:
            stage = .quiet(askAt: elapsed.saturatingAdding(timeouts.answer))
        case .condemned, .killed: break
        }
    }

    /// It was asked to end.
    mutating func ending(at elapsed: Int64) {
        endsBy = min(endsBy ?? .max, elapsed.saturatingAdding(timeouts.end))
    }

    /// The kernel reported that it was stopped. A host that is stopped repeatedly is left to
    /// `tick`.
    mutating func stopped(at elapsed: Int64) -> [Action] {
        if let continuedAt, elapsed < continuedAt.saturatingAdding(timeouts.stop) { return [] }
        continuedAt = elapsed
        return [.resume]
    }

    /// Time has passed.
    mutating func tick(at elapsed: Int64) -> [Action] {
        guard let next, next <= elapsed else { return [] }
        let later = elapsed.saturatingAdding(timeouts.answer)
        if let endsBy, endsBy <= elapsed {
            stage = .killed
            return [.kill]
        }
        switch stage {
        case .quiet:
            stage = .asked(until: later)
            return [.ping]
        case .asked:
            stage = .doubted(until: later)
            return [.resume, .ping]
        case .doubted:
            stage = .condemned(until: later)
            return [.terminate, .resume]
        case .condemned:
            stage = .killed
            return [.kill]
        case .killed: return []
        }
    }
}
