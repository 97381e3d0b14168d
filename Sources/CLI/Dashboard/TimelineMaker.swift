// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLog
import BGRunManifest
import BGRunPolicy
import BGRunStorage

/// Makes an app's timeline from its store and its journal.
struct TimelineMaker {
    let app: CatalogApp
    let since: WallTime
    let until: WallTime

    private static let mostAttempts = 20_000
    private static let mostTracks = 40

    func make() -> Timeline {
        var timeline = Timeline(since: since, until: until)
        var rows: [HistoryRow] = []
        var running: [RunningRow] = []
        var waiting: [TaskRequest] = []
        if let store = try? app.state.storeToRead() {
            rows = (try? store.history(HistoryFilter(since: since), limit: Self.mostAttempts)) ?? []
            running = (try? store.running()) ?? []
            waiting = (try? store.pending(limit: 200)) ?? []
        }
        if rows.count == Self.mostAttempts {
            timeline.gaps.append("Only the newest \(Self.mostAttempts) attempts are drawn.")
        }
        let declared = app.knownManifest.tasks.map(\.declaration.identifier)
        let rule = IdentifierRule(permitting: declared)
        let trackName: (String) -> String = { rule.pattern(for: $0) ?? $0 }
        var names = declared
        let met =
            rows.map(\.identifier) + running.map(\.attempt.request.identifier)
            + waiting.map(\.identifier)
        for name in Set(met.map(trackName)).subtracting(names).sorted() { names.append(name) }
        if names.count > Self.mostTracks {
            timeline.gaps.append(
                "Only the first \(Self.mostTracks) of \(names.count) tasks are drawn.")
        }
        names = Array(names.prefix(Self.mostTracks))
        let history = DeviceHistory(
            of: Set(met).union(declared.filter { !$0.hasSuffix(".*") }).sorted().prefix(200).map {
                $0
            },
            in: app.state.journalImages, since: since, until: until,
            isHostRunning: (try? app.state.hasHost) ?? false)
        // The timeline begins with the first record.
        let known = rows.map(\.launched).min() ?? until
        let begin = min(known, history.begins ?? until, until.advanced(by: .minutes(-5)))
        timeline.since = max(since, begin)
        var tracks = Dictionary(
            names.map { ($0, Timeline.Track(identifier: $0)) },
            uniquingKeysWith: { first, _ in first })
        for row in rows {
            tracks[trackName(row.identifier)]?.attempts.append(
                Timeline.Ran(
                    attempt: row.attempt, from: row.launched, to: row.ended, outcome: row.outcome))
        }
        for row in running {
            tracks[trackName(row.attempt.request.identifier)]?.attempts.append(
                Timeline.Ran(
                    attempt: row.attempt.id, from: row.attempt.launched.wall, to: until,
                    outcome: nil))
        }
        for (identifier, waits) in history.waits {
            tracks[trackName(identifier)]?.waits += waits.map {
                Timeline.Waited(from: $0.from, to: $0.to, blocker: $0.blocker)
            }
        }
        timeline.tracks = names.compactMap { tracks[$0] }
        for (change, end) in zip(history.device, history.device.dropFirst().map(\.at) + [until]) {
            guard let state = change.state else { continue }
            timeline.add(state, from: max(change.at, since), to: min(end, until))
        }
        timeline.journalBegins = history.begins
        if let gap = history.gap {
            timeline.gaps.append("The journal is incomplete: \(gap).")
        }
        return timeline
    }
}
