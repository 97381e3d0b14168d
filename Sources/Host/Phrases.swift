// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The sentences of the log. Where Apple's framework logs the same event, its phrase is used.
struct Phrase {
    /// One word for programs.
    var kind: String
    var level = LogLine.Level.info
    /// Of the task it is about; empty for the whole app.
    var identifier: String
    var attempt: Int64?
    var text: String

    static func registered(_ identifier: String) -> String {
        "Registered handler for task with identifier \(identifier)"
    }

    init(_ record: Record, message: String? = nil) {
        switch record {
        case .scheduling(let request):
            self.init(
                "scheduling", request,
                "Scheduling task with identifier \(request.identifier)"
                    + (request.annotations.clause.map { " (\($0))" } ?? ""))
        case .starting(let attempt):
            self.init(
                kind: "starting", identifier: attempt.request.identifier, attempt: attempt.id,
                text: "Starting task with identifier \(attempt.request.identifier)")
        case .expiring(let identifier, let attempt, let reason):
            self.init(
                kind: "expiring", level: .warning, identifier: identifier, attempt: attempt,
                text: "Expiring task with identifier \(identifier): \(reason.name)")
        case .terminating(let identifier, let attempt):
            self.init(
                kind: "terminating", level: .warning, identifier: identifier, attempt: attempt,
                text: "Terminating task with identifier \(identifier): its grace is over (SIGTERM)")
        case .killing(let identifier, let attempt):
            self.init(
                kind: "killing", level: .warning, identifier: identifier, attempt: attempt,
                text: "Killing task with identifier \(identifier): it did not end (SIGKILL)")
        case .ended(let identifier, let attempt, let outcome):
            self.init(
                kind: "ended", level: outcome == .completed ? .info : .error,
                identifier: identifier, attempt: attempt,
                text: Self.end(identifier, outcome) + (message.map { ": \($0)" } ?? ""))
        case .cancelled(let request):
            self.init("cancelled", request, "Cancelled task with identifier \(request.identifier)")
        case .retrying(let request, let delay):
            self.init(
                "retrying", request,
                "Scheduling task with identifier \(request.identifier) again in "
                    + "\(delay.text) (failures so far: \(request.failures))")
        case .requeued(let request, let outcome):
            self.init(
                "requeued", request,
                "Scheduling task with identifier \(request.identifier) again: its last attempt "
                    + Self.clause(outcome))
        case .skipped(let request, let attempt):
            self.init(
                "skipped", request,
                "Skipped task with identifier \(request.identifier): attempt \(attempt) is running")
        case .stalling(let identifier, let attempt, let left):
            self.init(
                kind: "stalling", level: .warning, identifier: identifier, attempt: attempt,
                text: "Task with identifier \(identifier) reports no progress: it is expired in "
                    + "\(left.text) unless it does")
        case .gaveUp(let request, let outcome):
            self.init(
                "gave-up", request,
                "Gave up task with identifier \(request.identifier): its last attempt "
                    + "\(Self.clause(outcome)), and no further attempt is granted", .error)
        case .missed(let request, _):
            self.init(
                "missed", request,
                "Missed a date of the task with identifier \(request.identifier): it could not be "
                    + "launched in time", .warning)
        case .refused(let identifier, let refusal):
            self.init(
                kind: "refused", level: .error, identifier: identifier,
                text: "Could not schedule task with identifier \(identifier): \(refusal.message)")
        case .manifestLoaded:
            self.init(
                kind: "manifest-loaded", identifier: "", text: "The changed manifest is in effect")
        case .shortage(let resource):
            self.init(
                kind: "shortage", level: .warning, identifier: "",
                text: "Waiting for resources: too few \(resource.name) to start a worker; "
                    + "\(resource.remedy). Requests wait, and it is tried again")
        case .shortageOver(let resource):
            self.init(
                kind: "shortage-over", identifier: "",
                text: "There are enough \(resource.name) again")
        case .appOpened:
            self.init(kind: "app-opened", identifier: "", text: "The app was opened")
        case .appForceQuit:
            self.init(
                kind: "app-force-quit", level: .warning, identifier: "",
                text: "The app was force-quit: nothing is launched until it is opened")
        case .refreshSwitch(let state):
            self.init(
                kind: "refresh-switch", identifier: "",
                text: "Background refresh is \(state.name)")
        }
    }

    private init(
        _ kind: String, _ request: TaskRequest, _ text: String, _ level: LogLine.Level = .info
    ) {
        self.init(kind: kind, level: level, identifier: request.identifier, text: text)
    }

    private init(
        kind: String, level: LogLine.Level = .info, identifier: String, attempt: Int64? = nil,
        text: String
    ) {
        self.kind = kind
        self.level = level
        self.identifier = identifier
        self.attempt = attempt
        self.text = text
    }

    private static func end(_ identifier: String, _ outcome: Outcome) -> String {
        switch outcome {
        case .completed: "Task completed with identifier \(identifier)"
        case .failed: "Task completed without success with identifier \(identifier)"
        default: "Task ended with identifier \(identifier): \(outcome.sentence)"
        }
    }

    /// What an attempt did, or what happened to it.
    private static func clause(_ outcome: Outcome) -> String {
        switch outcome {
        case .refused, .interrupted: "was \(outcome.sentence)"
        default: outcome.sentence
        }
    }
}

extension Outcome {
    /// The outcome with what belongs to it: `expired (time), reported no success`.
    package var sentence: String {
        switch self {
        case .expired(let reason, let reported):
            switch reported {
            case nil: "expired (\(reason.name)), without a report"
            case true?: "expired (\(reason.name)), reported success afterwards"
            case false?: "expired (\(reason.name)), reported no success"
            }
        case .crashed(let signal): "crashed with signal \(signal) (\(SignalName.of(signal)))"
        case .exited(let code): "exited with code \(code) without a report"
        default: name
        }
    }
}
