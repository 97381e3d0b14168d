// SPDX-License-Identifier: Apache-2.0

/// Whether the host of an app answers, and what is done about one that does not: it is continued, told to
/// end, and killed. Whatever an app does, its host ends within a bound.
struct HostLifeRule: Equatable {
    enum Action: Equatable {
        /// It is asked for a sign of life.
        case ping
        /// SIGCONT: something may have stopped it.
        case resume
        /// SIGTERM: it does not answer.
        case terminate
        /// SIGKILL: it does not end.
        case kill
    }

    /// Nanoseconds.
    struct Patience: Equatable, Sendable {
        /// Until the first sign of life: a large store takes its time.
        var start: Int64 = 300_000_000_000
        /// Between two questions, and for each answer.
        var answer: Int64 = 30_000_000_000
        /// Until it has ended when it was asked to: what runs has its grace. systemd's is
        /// TimeoutStopSec=330.
        var end: Int64 = 300_000_000_000
        /// Between two times it is continued because it was stopped.
        var stop: Int64 = 10_000_000_000
    }

    private enum Stage: Equatable {
        /// It is asked at this instant.
        case quiet(askAt: Int64)
        /// It was asked, and must answer until then.
        case asked(until: Int64)
        /// It did not, and was continued and asked again.
        case doubted(until: Int64)
        /// It did not again, and must end until then.
        case condemned(until: Int64)
        /// It was killed; there is nothing else to do.
        case killed
    }

    private let patience: Patience
    private var stage: Stage
    /// It was asked to end, and must have until then.
    private var endsBy: Int64?
    private var continuedAt: Int64?

    init(_ patience: Patience, startedAt elapsed: Int64) {
        self.patience = patience
        stage = .asked(until: elapsed.addingClamped(patience.start))
    }

    /// The elapsed instant at which `tick` is due; nil when it was killed.
    var next: Int64? {
        let date: Int64
        switch stage {
        case .quiet(let at), .asked(let at), .doubted(let at), .condemned(let at): date = at
        case .killed: return nil
        }
        return min(date, endsBy ?? .max)
    }

    /// It gave a sign of life.
    mutating func heard(at elapsed: Int64) {
        switch stage {
        case .quiet, .asked, .doubted:
            stage = .quiet(askAt: elapsed.addingClamped(patience.answer))
        case .condemned, .killed: break
        }
    }

    /// It was asked to end.
    mutating func ending(at elapsed: Int64) {
        endsBy = min(endsBy ?? .max, elapsed.addingClamped(patience.end))
    }

    /// The kernel says that it was stopped. One that is stopped again and again is left to `tick`.
    mutating func stopped(at elapsed: Int64) -> [Action] {
        if let continuedAt, elapsed < continuedAt.addingClamped(patience.stop) { return [] }
        continuedAt = elapsed
        return [.resume]
    }

    /// Time has passed.
    mutating func tick(at elapsed: Int64) -> [Action] {
        guard let next, next <= elapsed else { return [] }
        let later = elapsed.addingClamped(patience.answer)
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

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
