// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// The state of the attempt that a worker runs, and how it ended.
struct RunningWork {
    let attempt: Int64
    /// Why its time was revoked before its report.
    private(set) var told: StopReason?
    var report: Report?
    /// Its assertions, in the order of their start.
    var assertions: [Assertion] = []
    /// The assertions when its time was revoked after its report.
    private(set) var lapse: Lapse?
    /// The signs of its worker.
    var signs: Signs
    var enteredMonotonic: Int64?
    /// The number of lines passed to the host.
    var keptLines = 0
    private(set) var droppedLines: Int64 = 0
    /// The number of log lines that came while the host could not store more.
    var missedLines: Int64 = 0
    /// The last ones of the later lines.
    private var lastLines = LineRing()
    /// The processor time of its worker at launch, in milliseconds.
    let processorBefore: Int64

    /// Observations about a worker, possible also before its attempt is launched.
    struct Signs {
        var refusal: String?
        /// The worker closed its channel but did not end.
        var hasLostChannel = false
        /// Code other than bgrun's wrote to the worker's channel.
        var spokeNonsense = false
        /// The worker is ended because it did not read its answers; ignore a later completion.
        var leftAnswersUnread = false
        /// The worker is ended because of this limit.
        var reached: ReachedLimit?
        /// The resource that the worker lacked to begin.
        var shortage: Resource?
        /// The resource for which the attempt had to wait.
        var missing: Resource?
    }

    struct Report {
        /// nil: its time was revoked, and it does not have an expiration handler.
        var isSuccess: Bool?
        var message: String?
    }

    /// A handler's assertion, to continue after its report (Apple: beginBackgroundTask).
    struct Assertion {
        let id: Int64
        /// The handler's name for it.
        let name: String?
    }

    struct Lapse {
        let reason: StopReason
        let assertions: [Assertion]
    }

    /// How a process ended, according to the kernel.
    enum Death: Equatable {
        case exited(Int32)
        case signalled(Int32)

        /// From the status of `waitpid`.
        init(status: Int32) {
            let signal = status & 0x7f
            self = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
        }
    }

    init(attempt: Int64, signs: Signs = Signs(), processorBefore: Int64 = 0) {
        self.attempt = attempt
        self.signs = signs
        self.processorBefore = processorBefore
    }

    var isTold: Bool { told != nil || lapse != nil }

    /// Revokes its time. After its report, that is only the time held open by its assertions.
    mutating func tell(_ reason: StopReason) {
        if report == nil {
            told = reason
        } else if !assertions.isEmpty {
            lapse = Lapse(reason: reason, assertions: assertions)
        }
    }

    /// Adds a line after the kept ones. At the end, each of the last lines replaces one of the second half.
    mutating func keepAtMost(_ line: HandlerLine, at time: Int64) {
        droppedLines += 1
        lastLines.add(line, at: time, limit: keptLines - keptLines / 2)
    }

    /// How the attempt ended; `death` is nil if its worker continues. `processor` is the processor time of the worker
    /// in milliseconds, `confinement` what its handlers may do.
    func end(
        _ death: Death?, hasLoaded: Bool, processor: Int64? = nil, confinement: Confinement? = nil
    ) -> AttemptEnd {
        let (outcome, message) = verdict(death, confinement)
        let place =
            hasLoaded ? nil : "while the plugin was loaded (its constructors, entry or init)"
        return AttemptEnd(
            outcome: outcome, message: message ?? place, enteredMonotonic: enteredMonotonic,
            droppedLines: droppedLines + missedLines,  // fits: lines that were received
            lastLines: lastLines.end(kept: keptLines, dropped: droppedLines),
            processorMilliseconds: processor.map { max(0, $0 &- processorBefore) })
    }

    /// A revocation explains every later sign; a report in time explains every later death.
    private func verdict(_ death: Death?, _ confinement: Confinement?) -> (Outcome, String?) {
        let reported = report.flatMap(\.isSuccess)
        if let missing = signs.missing, let told {
            let reason = told.countsAsFailure ? StopReason(shortageOf: missing) : told
            return (.expired(reason, reported: reported), report?.message ?? signs.refusal)
        }
        if let refusal = signs.refusal { return (.refused, refusal) }
        if let told { return (.expired(told, reported: reported), report?.message) }
        if let report {
            let sentences = [report.message, lapse?.sentence].compactMap { $0 }
            return (
                report.isSuccess == true ? .completed : .failed,
                sentences.isEmpty ? nil : sentences.joined(separator: "; ")
            )
        }
        if let reached = signs.reached { return (.limited(reached.resource), reached.message) }
        if signs.spokeNonsense { return (.failed, "the handler wrote to its channel to bgrun") }
        if signs.hasLostChannel || death == .exited(WorkerMessage.lostChannelExitCode) {
            return (.failed, "the handler closed its channel to bgrun")
        }
        switch death {
        case .signalled(let signal):
            if let limit = ReachedLimit(signal: signal, confinement) {
                return (.limited(limit.resource), limit.message)
            }
            let reason = "the handler did not read bgrun's answers"
            return (.crashed(signal: signal), signs.leftAnswersUnread ? reason : nil)
        case .exited(let code): return (.exited(code: code), nil)
        case nil: return (.failed, "the handler ended without a report")
        }
    }
}

extension RunningWork.Lapse {
    /// A sentence for people beside the report.
    var sentence: String {
        let first = assertions.first?.name.map { "\"\($0)\"" } ?? "without a name"
        let fate = reason == .time ? "not ended in time" : "cut short (\(reason.name))"
        return assertions.count == 1
            ? "the assertion \(first) was \(fate)"
            : "\(assertions.count) assertions were \(fate), the first \(first)"
    }
}
