// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy

/// The sentences of the log. Uses the phrase of Apple's framework if that logs the same event.
struct Phrase {
    /// One word for programs.
    var kind: String
    var level: LogLine.Level
    /// The identifier of the task; empty for the whole app.
    var identifier: String
    var attempt: Int64?
    var text: String

    static func registered(_ identifier: String) -> String {
        "Registered handler for task with identifier \(identifier)"
    }

    init(_ record: Record, message: String? = nil) {
        identifier = record.identifier
        attempt = record.attempt
        (kind, level, text) = Self.words(record, identifier, message)
    }

    private static func words(
        _ record: Record, _ identifier: String, _ message: String?
    ) -> (kind: String, level: LogLine.Level, text: String) {
        let task = "task with identifier \(identifier)"
        return switch record {
        case .scheduling(let request):
            (
                "scheduling", .info,
                "Scheduling \(task)" + (request.annotations.clause.map { " (\($0))" } ?? "")
            )
        case .starting: ("starting", .info, "Starting \(task)")
        case .expiring(_, _, let reason): ("expiring", .warning, "Expiring \(task): \(reason.name)")
        case .terminating:
            ("terminating", .warning, "Terminating \(task): its grace is over (SIGTERM)")
        case .killing: ("killing", .warning, "Killing \(task): it did not end (SIGKILL)")
        case .ended(_, _, let outcome):
            (
                "ended", outcome == .completed ? .info : .error,
                end(identifier, outcome) + (message.map { ": \($0)" } ?? "")
            )
        case .cancelled: ("cancelled", .info, "Cancelled \(task)")
        case .retrying(let request, let delay):
            (
                "retrying", .info,
                "Scheduling \(task) again in \(delay.text) (failures so far: \(request.failures))"
            )
        case .requeued(_, let outcome):
            ("requeued", .info, "Scheduling \(task) again: its last attempt \(clause(outcome))")
        case .skipped(_, let attempt):
            ("skipped", .info, "Skipped \(task): attempt \(attempt) is running")
        case .stalling(_, _, let left):
            (
                "stalling", .warning,
                "Task with identifier \(identifier) reports no progress: it is expired in "
                    + "\(left.text) unless it does"
            )
        case .gaveUp(_, let outcome):
            (
                "gave-up", .error,
                "Gave up a request of the \(task): its last attempt \(clause(outcome)), and no further "
                    + "one is granted"
            )
        case .superseded(let request, let newer):
            (
                "superseded", .info,
                "Replaced request \(request.id) by request \(newer) of the \(task), which was "
                    + "submitted since its launch"
            )
        case .missed:
            (
                "missed", .warning,
                "Missed a date of the \(task): it could not be launched in time"
            )
        case .refused(_, let refusal):
            ("refused", .error, "Could not schedule \(task): \(refusal.message)")
        case .manifestLoaded: ("manifest-loaded", .info, "The changed manifest is in effect")
        case .shortage(let resource):
            (
                "shortage", .warning,
                "Waiting for resources: \(resource.shortage); \(resource.remedy). "
                    + "Requests wait, and it is tried again"
            )
        case .shortageOver(let resource):
            ("shortage-over", .info, "No longer waiting for \(resource.name)")
        case .appOpened: ("app-opened", .info, "The app was opened")
        case .appForceQuit:
            (
                "app-force-quit", .warning,
                "The app was force-quit: nothing is launched until it is opened"
            )
        case .refreshSwitch(let state):
            ("refresh-switch", .info, "Background refresh is \(state.name)")
        }
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
        case .limited(let resource): "was limited (\(resource.rawValue))"
        default: outcome.sentence
        }
    }
}

extension Record {
    /// The identifier of the task; empty for the whole app.
    fileprivate var identifier: String {
        switch self {
        case .scheduling(let request), .cancelled(let request), .retrying(let request, _),
            .requeued(let request, _), .skipped(let request, _), .gaveUp(let request, _),
            .missed(let request, _), .superseded(let request, _):
            request.identifier
        case .starting(let attempt): attempt.request.identifier
        case .expiring(let identifier, _, _), .terminating(let identifier, _),
            .killing(let identifier, _), .ended(let identifier, _, _),
            .stalling(let identifier, _, _), .refused(let identifier, _):
            identifier
        case .manifestLoaded, .shortage, .shortageOver, .appOpened, .appForceQuit, .refreshSwitch:
            ""
        }
    }
}
