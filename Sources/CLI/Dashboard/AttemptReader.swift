// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunDashboard
import BGRunManifest
import BGRunPolicy
import BGRunStorage

/// Reads the stored facts about one attempt.
struct AttemptReader {
    let app: CatalogApp
    let number: Int64

    /// The maximum number of lines of output; the last ones are kept.
    private static let mostLines = 1_000

    /// Nil if the attempt does not exist.
    func read() throws -> AttemptDetail? {
        guard let store = try app.state.storeToRead(),
            let identifier = try store.identifier(ofAttempt: number)
        else { return nil }
        let row = try store.ended(number)
        let running = app.overview().overview.running.first { $0.attempt == number }
        let lines = try store.output(attempt: number, after: 0)
        let rest = lines.skippedAfterLast(dropped: row?.outputDropped ?? 0)
        let events = try store.lastEvents(of: identifier, limit: 200).map(\.line)
            .filter { $0.attempt == number }
        return AttemptDetail(
            app: app.name, number: number, identifier: identifier, run: row.map { Run($0) },
            running: running, facts: row.map(facts) ?? running.map(facts) ?? [],
            output: lines.suffix(Self.mostLines).map {
                AttemptDetail.Line(
                    at: $0.line.at, stream: $0.line.stream.rawValue, text: $0.line.text,
                    gap: OutputGap.note($0.skipped))
            }, lastGap: OutputGap.note(rest),
            hiddenLines: max(0, lines.count - Self.mostLines),
            events: events.map { ($0.at.wall, $0.text) })
    }

    private func facts(_ row: HistoryRow) -> [(String, String)] {
        var facts = [
            ("Task", row.identifier), ("Kind", row.kind.name),
            ("How it ended", row.outcome.sentence),
        ]
        if let result = row.result { facts.append(("What the push brought", result.name)) }
        if let message = row.message { facts.append(("Message", message)) }
        facts += [
            ("Submitted", row.submitted.localText), ("Launched", row.launched.localText),
            ("Ended", row.ended.localText), ("Ran", row.duration?.text ?? "unknown"),
        ]
        if let entered = row.entered {
            facts.append(("Until its handler was entered", entered.text))
        }
        facts.append(("Request", "\(row.request)"))
        if row.failures + row.interruptions > 0 {  // fits: clamped when it is read
            facts.append(("Before", "\(row.failures) failures, \(row.interruptions) interruptions"))
        }
        if row.outputDropped > 0 {
            facts.append(("Output that was not stored", "\(row.outputDropped) lines"))
        }
        return facts
    }

    private func facts(_ running: AppOverview.Running) -> [(String, String)] {
        var facts = [
            ("Task", running.identifier), ("Kind", running.kind),
            ("Launched", running.launched.localText), ("Phase", running.phase),
        ]
        if let title = running.title { facts.append(("Title", title)) }
        if let subtitle = running.subtitle { facts.append(("Subtitle", subtitle)) }
        if let until = running.until { facts.append(("Until", until.localText)) }
        return facts
    }
}
