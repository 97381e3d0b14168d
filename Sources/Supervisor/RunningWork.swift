// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// What is known of the attempt a worker is running, and how it ended once it has.
struct RunningWork {
    let attempt: Int64
    /// Why its time was revoked before it had reported.
    private(set) var told: StopReason?
    var report: Report?
    /// What it holds, in the order of beginning.
    var assertions: [Assertion] = []
    /// What it held when its time was revoked after its report.
    private(set) var lapse: Lapse?
    /// Those of its worker.
    var signs: Signs
    var enteredMonotonic: Int64?
    /// Lines the host was told of.
    var keptLines = 0
    private(set) var droppedLines: Int64 = 0
    /// Logged lines that came while the host could store no more.
    var missedLines: Int64 = 0
    /// The last ones of those that follow.
    private var lastLines = LineRing()
    /// The processor time of its worker at launch, in milliseconds.
    let processorBefore: Int64

    /// What a worker may show also before its attempt is launched.
    struct Signs {
        var refusal: String?
        /// The worker closed its channel and lived on.
        var hasLostChannel = false
        /// Something else than bgrun wrote to the worker's channel.
        var spokeNonsense = false
        /// The worker is ended because it did not read its answers; a completion that comes later does not count.
        var leftAnswersUnread = false
        /// The resource that the worker lacked to begin.
        var shortage: Resource?
    }

    struct Report {
        /// nil: its time was revoked, and it had no expiration handler.
        var isSuccess: Bool?
        var message: String?
    }

    /// What the handler began, to continue after its report (Apple: beginBackgroundTask).
    struct Assertion {
        let id: Int64
        /// What the handler calls it.
        let name: String?
    }

    struct Lapse {
        let reason: StopReason
        let assertions: [Assertion]
    }

    /// How a process ended, as the kernel says.
    enum Death: Hashable {
        case exited(Int32)
        case signalled(Int32)

        /// Reads what `waitpid` gives.
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

    /// Its time is revoked. Of one that has reported, only the time its assertions held open.
    mutating func tell(_ reason: StopReason) {
        if report == nil {
            told = reason
        } else if !assertions.isEmpty {
            lapse = Lapse(reason: reason, assertions: assertions)
        }
    }

    /// Takes a line that follows those that are kept. At the end, each of the last ones takes the place
    /// of one of the second half.
    mutating func keepAtMost(_ line: HandlerLine, at time: Int64) {
        droppedLines += 1
        lastLines.add(line, at: time, limit: keptLines - keptLines / 2)
    }

    /// How the attempt ended; `death` is nil if its worker lives on. `processor` is the processor
    /// time of the worker in milliseconds.
    func end(_ death: Death?, hasLoaded: Bool, processor: Int64? = nil) -> AttemptEnd {
        let (outcome, message) = verdict(death)
        let place =
            hasLoaded ? nil : "while the plugin was loaded (its constructors, entry or init)"
        return AttemptEnd(
            outcome: outcome, message: message ?? place, enteredMonotonic: enteredMonotonic,
            droppedLines: droppedLines + missedLines,  // fits: lines that were received
            lastLines: lastLines.end(kept: keptLines, dropped: droppedLines),
            processorMilliseconds: processor.map { max(0, $0 &- processorBefore) })
    }

    /// A revocation explains every later sign; a report in time explains every later death.
    private func verdict(_ death: Death?) -> (Outcome, String?) {
        if let refusal = signs.refusal { return (.refused, refusal) }
        if let told {
            return (.expired(told, reported: report.flatMap(\.isSuccess)), report?.message)
        }
        if let report {
            let sentences = [report.message, lapse?.sentence].compactMap { $0 }
            return (
                report.isSuccess == true ? .completed : .failed,
                sentences.isEmpty ? nil : sentences.joined(separator: "; ")
            )
        }
        if signs.spokeNonsense { return (.failed, "the handler wrote to its channel to bgrun") }
        if signs.hasLostChannel || death == .exited(WorkerMessage.lostChannelExitCode) {
            return (.failed, "the handler closed its channel to bgrun")
        }
        switch death {
        case .signalled(let signal):
            let reason = "the handler did not read bgrun's answers"
            return (.crashed(signal: signal), signs.leftAnswersUnread ? reason : nil)
        case .exited(let code): return (.exited(code: code), nil)
        case nil: return (.failed, "the handler ended without a report")
        }
    }
}

extension RunningWork.Lapse {
    /// What a person reads beside the report.
    var sentence: String {
        let first = assertions.first?.name.map { "\"\($0)\"" } ?? "without a name"
        let fate = reason == .time ? "not ended in time" : "cut short (\(reason.name))"
        return assertions.count == 1
            ? "the assertion \(first) was \(fate)"
            : "\(assertions.count) assertions were \(fate), the first \(first)"
    }
}
