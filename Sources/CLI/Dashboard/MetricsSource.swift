// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import FoundationEssentials
import Glibc
import Synchronization

/// Collects the metrics of an app. Stores the counts in `metrics.json` beside its store, so that counters
/// continue after a restart; keeps them in memory where that file cannot be written.
final class MetricsSource: Sendable {
    private let tallies = Mutex<[String: MetricsTally]>([:])

    /// The current metrics of `app`, and the error that makes them incomplete: one of its state, or, with
    /// `isNotAnswering`, of a host that does not answer.
    func metrics(_ app: CatalogApp) -> (metrics: AppMetrics, problem: String?, isNotAnswering: Bool)
    {
        if let reader = app.reader { return metrics(app, reader) }
        let (overview, problem, isNotAnswering) = app.overview()
        let tasks = app.manifest?.tasks.map(\.declaration.identifier) ?? []
        let store = try? app.state.storeToRead()
        let tally = tallies.withLock { tallies in
            var tally = stored(app) ?? tallies[app.state.path]
            if let store, let next = try? caughtUp(tally, app, store) {
                if next != tally { save(next, app) }
                tally = next
            }
            tallies[app.state.path] = tally
            return tally
        }
        var metrics = AppMetrics(
            overview: overview, tally: tally ?? MetricsTally(through: 0), tasks: tasks,
            pending: pending(overview, tasks, app, store), task: app.taskName)
        metrics.transfers = transfers(app)
        return (metrics, problem, isNotAnswering)
    }

    /// The same for another user's app.
    private func metrics(
        _ app: CatalogApp, _ reader: AppReader
    ) -> (metrics: AppMetrics, problem: String?, isNotAnswering: Bool) {
        let nothing = AppMetrics(
            overview: AppOverview(app: app.name, at: app.now),
            tally: MetricsTally(through: 0), tasks: [], pending: [:], task: { $0 })
        var answer = AppReader.Answer()
        do {
            answer = try reader.ask(.metrics)
        } catch {
            answer.problem = CatalogApp.message(error)
        }
        return (answer.metrics ?? nothing, answer.problem, answer.isNotAnswering ?? false)
    }

    private func transfers(_ app: CatalogApp) -> AppMetrics.Transfers? {
        guard access(app.state.transfers, R_OK) == 0,
            let views = try? TransferAccess(state: app.state).views(), !views.isEmpty
        else { return nil }
        let states = Dictionary(grouping: views, by: \.state.rawValue)
        let none = Dictionary(uniqueKeysWithValues: Self.transferStates.map { ($0, 0) })
        return AppMetrics.Transfers(
            counts: none.merging(states.mapValues(\.count)) { $1 },
            bytes: Dictionary(grouping: views, by: \.direction).mapValues { group in
                group.map(\.bytes).saturatingSum
            })
    }

    /// States for alerts; their series exist also with the value 0.
    private static let transferStates = ["running", "waiting", "failed"]

    // MARK: counting

    private func caughtUp(
        _ before: MetricsTally?, _ app: CatalogApp, _ store: Store
    ) throws -> MetricsTally {
        let newest = try store.newestAttempt()
        // Read first: an attempt that does not run now has ended, and its end is stored.
        let running = try store.running().map(\.attempt.id)
        let begin = max(0, newest - CatalogApp.most)  // fits: it is not negative
        // A store with fewer attempts has been replaced.
        let usable = before.flatMap { $0.through <= newest ? $0 : nil }
        var tally = usable ?? MetricsTally(through: begin)
        var last = tally.through
        while true {
            let rows = try store.ended(after: last, limit: 1_000)
            for row in rows {
                tally.add(
                    Run(row), as: app.taskName(row.identifier),
                    isFirst: row.failures == 0 && row.interruptions == 0)
            }
            guard rows.count == 1_000, let end = rows.last?.attempt else { break }
            last = end
        }
        tally.settle(newest: newest, running: running)
        return tally
    }

    private func pending(
        _ overview: AppOverview, _ tasks: [String], _ app: CatalogApp, _ store: Store?
    ) -> [String: Int] {
        var counts: [String: Int] = [:]
        for request in overview.pending { counts.countUp(app.taskName(request.identifier)) }
        // An overview lists only the first ones.
        guard overview.pendingCount > overview.pending.count, let store else { return counts }
        counts = [:]
        for task in tasks { counts[task] = (try? store.pendingCount(of: task)) ?? 0 }
        return counts
    }

    // MARK: the file

    private func path(_ app: CatalogApp) -> String { app.state.path + "/metrics.json" }

    /// Anyone may have changed the file.
    private func stored(_ app: CatalogApp) -> MetricsTally? {
        guard let data = FileManager.default.contents(atPath: path(app)) else { return nil }
        return try? JSONDecoder().decode(MetricsTally.self, text: data).clamped
    }

    /// Replaces the file atomically.
    private func save(_ tally: MetricsTally, _ app: CatalogApp) {
        guard let data = try? JSONEncoder().encode(tally) else { return }
        _ = AtomicFile.write(data, to: path(app), mode: 0o600)
    }
}
