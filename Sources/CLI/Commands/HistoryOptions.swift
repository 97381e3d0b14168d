// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy
import BGRunStorage

/// The filter of the listed attempts.
struct HistoryOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: .value(
            "time",
            "Attempts that ended at or after this time: 7d or -7d ago, 14:30 today, or a date and "
                + "time."), transform: TimeArgument.parsePast)
    var since: TimeArgument?

    @Option(
        parsing: .unconditional, help: .value("time", "Those that ended before."),
        transform: TimeArgument.parsePast)
    var until: TimeArgument?

    @Option(
        help: .value(
            "outcome,...",
            "Those with one of these outcomes: completed, failed, expired, crashed, limited, exited, "
                + "refused, interrupted."), transform: outcomes)
    var outcome: [String] = []

    @Option(
        help: .value(
            "reason,...",
            "Those that expired for these reasons: time, power-lost, network-lost, ..."),
        transform: reasons)
    var reason: [StopReason] = []

    @Flag(help: "Those that did not complete.")
    var failed = false

    @OptionGroup var tag: TagOption

    func validate() throws {
        if failed, !outcome.isEmpty {
            throw ValidationError("--failed and --outcome cannot be combined")
        }
    }

    var isEmpty: Bool {
        since == nil && until == nil && outcome.isEmpty && reason.isEmpty && !failed
            && tag.tag == nil
    }

    func filter(of identifier: String?, now: WallTime) -> HistoryFilter {
        HistoryFilter(
            identifier: identifier, since: since?.date(at: now), until: until?.date(at: now),
            outcomes: failed ? Outcome.names.filter { $0 != Outcome.completed.name } : outcome,
            reasons: reason, annotation: tag.word)
    }

    @Sendable
    private static func outcomes(_ text: String) throws -> [String] {
        try text.split(separator: ",").map { word in
            guard Outcome.names.contains(String(word)) else {
                throw ValidationError(
                    "\"\(word)\" is not an outcome; it must be one of "
                        + Outcome.names.joined(separator: ", "))
            }
            return String(word)
        }
    }

    @Sendable
    private static func reasons(_ text: String) throws -> [StopReason] {
        try text.split(separator: ",").map { try StopReason(argument: $0) }
    }
}

extension StopReason {
    /// The reason that `word` of the command line names.
    init(argument word: Substring) throws {
        guard let reason = StopReason(name: String(word)) else {
            throw ValidationError(
                "\"\(word)\" is not a reason; it must be one of "
                    + StopReason.allCases.map(\.name).joined(separator: ", "))
        }
        self = reason
    }
}

extension Outcome {
    /// The names of all outcomes.
    static let names = [
        Outcome.completed, .failed, .expired(.time, reported: nil), .crashed(signal: 0),
        .limited(.memory), .exited(code: 0), .refused, .interrupted,
    ].map(\.name)
}

extension HistoryFilter {
    /// Whether the filter accepts this attempt.
    func accepts(_ row: HistoryRow) -> Bool {
        if let identifier, row.identifier != identifier { return false }
        if let since, row.ended < since { return false }
        if let until, row.ended >= until { return false }
        if !outcomes.isEmpty, !outcomes.contains(row.outcome.name) { return false }
        if let annotation, !row.annotations.has(annotation) { return false }
        return reasons.isEmpty || row.outcome.stopReason.map(reasons.contains) ?? false
    }
}
