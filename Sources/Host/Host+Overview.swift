// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import Glibc

extension Host {
    /// The present state of the app, for people and programs that watch it: the first `limit` pending requests, the
    /// last `recent` ended attempts.
    package func overview(pending limit: Int = 200, recent: Int = 8) -> AppOverview {
        let views = running
        var overview = AppOverview(
            app: manifest.app, engine: engine, attempts: views.map(\.attempt), limit: limit,
            at: now)
        for (index, view) in views.enumerated() {
            overview.running[index].title = view.title
            overview.running[index].subtitle = view.subtitle
            overview.running[index].completed = view.completed
            overview.running[index].total = view.total
        }
        overview.host = AppOverview.Host(
            process: getpid(), version: Version.text, since: life.startedAt,
            waitsForStoreSince: waitsForStoreSince)
        overview.add(launchesWaitingForStore, waitingFor: { _ in AppOverview.Pending.busyStore })
        overview.device = device.bands.all
        if reloading.hasRefused {
            overview.notices.append("the changed manifest is bad: the one before is in effect")
        }
        for feature in features { feature.add(to: &overview) }
        let ended = (try? store.lastEnded(limit: recent)) ?? []
        overview.recent = ended.map(AppOverview.Ended.init)
        return overview
    }
}

extension AppOverview.Ended {
    package init(_ row: HistoryRow) {
        self.init(
            attempt: row.attempt, identifier: row.identifier, ended: row.ended,
            ran: row.duration.map { $0.nanoseconds / 1_000_000 }, outcome: row.outcome.name,
            reason: row.outcome.reason, message: row.message)
    }
}
