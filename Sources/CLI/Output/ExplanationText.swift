// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy

/// An explanation, for people.
struct ExplanationText {
    let view: ExplanationView

    var text: String {
        [
            damage, shortfall, context, view.description.map(LogText.visible), heading, annotations,
            lines.text, view.confined.map(LogText.visible), submissions, pushes, launches, history,
            historyGap, events,
        ]
        .compactMap { $0 }
        .joined(separator: "\n\n")
    }

    /// The note that a forecast covers less time than requested.
    private var shortfall: String? {
        guard let asked = view.asked else { return nil }
        return "\(date(asked)) is too far away: the forecast stops at \(date(view.at)), after "
            + "\(Engine.forecastLimit) events; ask for an earlier date."
    }

    /// The moment that it describes.
    private var context: String? {
        guard let at = view.at else { return nil }
        let date = date(at)
        switch view.host {
        case "ended":
            return "At \(date) no host ran; the last one ended at \(self.date(view.asOf)) and left "
                + "this:"
        case "killed":
            return "At \(date) the host may have been gone: it was killed some time after "
                + "\(self.date(view.asOf)), when this was the state:"
        case "none":
            return "At \(date), if a host started now, nothing else happened, and "
                + "every attempt took no time:"
        default:
            return view.asOf == nil
                ? "At \(date), if nothing else happens until then, and every "
                    + "attempt takes no time:"
                : "At \(date), after the event of \(self.date(view.asOf)):"
        }
    }

    private var heading: String {
        let name = "\(view.identifier) (\(view.kind))"
        switch view.state {
        case "running":
            return "\(name) is running as attempt \(view.attempt ?? 0)"
                + (phase.map { ": \($0)" } ?? "")
        case "pending":
            let until = view.reasonUntil.map { ", until \(date($0)) if nothing changes" } ?? ""
            return "\(name) has been pending since \(date(view.submitted)): "
                + (view.reason ?? "") + until
                + (view.host == "none" && view.at == nil ? "; no host runs" : "")
        default: return "\(name) is not pending" + (lastEnd ?? "")
        }
    }

    private var annotations: String? { view.annotations?.clause }

    /// The progress, and the next step.
    private var phase: String? {
        let reason = view.stopReason ?? ""
        let left = view.phaseLeft.map { Interval.milliseconds($0).text } ?? "-"
        let until = "\(date(view.phaseUntil)) (in \(left))"
        return switch view.phase {
        case "waiting": "its worker runs another attempt first; its time begins afterwards"
        case "granted": "it expires at \(until): \(reason)"
        case "asserting": "it has reported its result and holds an assertion, until \(until)"
        case "reported": "it has reported its result; SIGTERM follows at \(until)"
        case "expiring": "it was told to stop (\(reason)); SIGTERM follows at \(until)"
        case "terminated": "it was sent SIGTERM; SIGKILL follows at \(until)"
        case "killed": "it was sent SIGKILL; only the kernel is waited for"
        default: nil
        }
    }

    private var lastEnd: String? {
        guard let end = view.events.last(where: { $0.kind == "ended" }) else { return nil }
        let text = end.text.replacing(" with identifier \(view.identifier)", with: "")
        return "; attempt \(end.attempt ?? 0) ended at \(date(end.at)): \(LogText.short(text))"
    }

    private var lines: Table {
        var table = Table("", "WHAT", "NOW", "NEEDED", "SINCE", "UNTIL")
        for line in view.lines {
            table.add(
                line.mark, line.name, line.currentText, line.needed,
                date(line.since), date(line.until))
        }
        return table
    }

    private var submissions: String? {
        guard let sources = view.submittedBy, !sources.isEmpty else { return nil }
        return "SUBMITTED BY\n" + sources.joined(separator: "\n")
    }

    private var pushes: String? {
        guard let pushes = view.pushes else { return nil }
        let newest = pushes.newest.map { ", the newest of \(date($0))" } ?? ""
        let sources = pushes.sources.map { source in
            "\(source.source) \(source.place): "
                + (source.problem.map {
                    "has not worked since \(date(source.since)): \(LogText.visible($0))"
                }
                    ?? "has worked since \(date(source.since))")
        }
        return (["MESSAGES HELD: \(pushes.held)\(newest)"] + sources).joined(separator: "\n")
    }

    private var launches: String? {
        guard let count = view.launchCount, count > 0 else { return nil }
        var table = Table("LAUNCHED UNTIL THEN", "IDENTIFIER", "ATTEMPT")
        for launch in view.launches(upTo: 20) {
            table.add(date(launch.at), launch.identifier, "\(launch.attempt)")
        }
        return table.text + (count > 20 ? "\nand \(count - 20) more" : "")
    }

    private var history: String? {
        guard let history = view.history, !history.isEmpty else { return nil }
        var table = Table("WAITED SINCE", "UNTIL", "REQUEST", "BECAUSE", "THEN")
        for wait in history {
            table.add(
                date(wait.since), date(wait.until), "\(wait.request)", wait.reason,
                wait.attempt.map { "attempt \($0)" } ?? "")
        }
        return table.text
    }

    private var damage: String? {
        view.damage.map { "\($0); this is the last before it that can be read." }
    }

    private var historyGap: String? {
        guard let gap = view.historyGap, gap != view.damage else { return nil }
        return "The journal does not have every wait: \(gap)."
    }

    private var events: String? {
        guard !view.events.isEmpty else { return nil }
        return "LAST EVENTS\n"
            + view.events.map { "\(date($0.at))  \(LogText.short($0.text))" }
            .joined(separator: "\n")
    }

    private func date(_ date: WallTime?) -> String { date?.localText ?? "-" }
}
