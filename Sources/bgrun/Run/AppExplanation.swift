// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunCore
import BGRunDevice
import BGRunHost
import BGRunJournal
import BGRunManifest
import BGRunStore

/// Finds out what decides about one identifier of an app.
struct AppExplanation {
    let manifest: Manifest
    let state: StateDirectory
    let identifier: String

    /// As it stands now, with at most `history` waits before.
    func now(history: Int) throws -> ExplanationView {
        var view: ExplanationView
        if let answer = try askHost(nil) {
            view = answer
        } else {
            // A simulated device is gone with its run, and its time has stopped.
            let last = SimulatedState.isMarked(state) ? try lastEvents().last : nil
            let now = last.map { WallTime(milliseconds: $0.at) } ?? SystemClock().now.wall
            guard let explanation = try engine().0.explain(identifier, at: now) else {
                throw unknown()
            }
            view = ExplanationView(explanation, now: now)
        }
        if history > 0 { addHistory(to: &view, state.journalImages, history, try state.hasHost) }
        view.events = try lastEvents()
        return view
    }

    /// What stands at `date` if nothing happens until then but that time passes.
    func forecast(_ date: WallTime) throws -> ExplanationView {
        if let answer = try askHost(date) { return answer }
        let (engine, interrupted) = try engine()
        let forecast = engine.forecast(
            to: date, from: SystemClock().now, after: [.recover(interrupted), .start])
        guard var view = ExplanationView(forecast, of: identifier) else { throw unknown() }
        view.host = "none"
        return view
    }

    /// What stood at `date`, with at most `history` waits before.
    func past(_ date: WallTime, history: Int) throws -> ExplanationView {
        let images = state.journalImages
        let isRunning = try state.hasHost
        let past: PastState
        do throws(PastState.Absence) {
            past = try PastState.at(date, in: images, isHostRunning: isRunning)
        } catch {
            complain(error.message)
            throw Exit.noInput
        }
        guard let explanation = past.engine.explain(identifier, at: date) else { throw unknown() }
        var view = ExplanationView(explanation, now: date)
        view.at = date.milliseconds
        view.asOf = past.asOf.wall.milliseconds
        view.host = "\(past.host)"
        if history > 0 { addHistory(to: &view, images, history, isRunning, until: date) }
        return view
    }

    private func addHistory(
        to view: inout ExplanationView, _ images: [JournalImage], _ limit: Int, _ isRunning: Bool,
        until date: WallTime? = nil
    ) {
        let waits = WaitHistory(
            of: identifier, in: images, limit: limit, isHostRunning: isRunning, until: date)
        view.historyBegins = waits.begins?.milliseconds
        view.history = waits.stretches.map { wait in
            ExplanationView.Wait(
                request: wait.request, reason: wait.reason, since: wait.since.milliseconds,
                until: wait.until?.milliseconds, attempt: wait.attempt)
        }
    }

    private func askHost(_ date: WallTime?) throws -> ExplanationView? {
        try HostAccess.ask(
            ControlRequest(.explain, identifier: identifier, at: date), state)?
            .orRefused().explanation
    }

    /// What a host that started now would begin with.
    private func engine() throws -> (Engine, [InterruptedAttempt]) {
        var restored = (Engine.Restoration(), [InterruptedAttempt]())
        do throws(StoreError) {
            restored = try Store.open(state.database, readOnly: true).restoration()
        } catch {
            guard case .missing = error else { throw error }
        }
        let device =
            SimulatedState.isMarked(state)
            ? DeviceState()
            : try DeviceSnapshot.take(stateDirectory: state.path).state.stated(manifest.device)
        return (
            Engine(manifest.engineConfiguration, device: device, restoring: restored.0), restored.1
        )
    }

    private func lastEvents() throws -> [ExplanationView.Event] {
        do throws(StoreError) {
            return try Store.open(state.database, readOnly: true)
                .lastEvents(of: identifier, limit: 20).map(\.line).map {
                    ExplanationView.Event(
                        at: $0.at.wall.milliseconds, kind: $0.kind, attempt: $0.attempt,
                        text: $0.text)
                }
        } catch {
            guard case .missing = error else { throw error }
            return []
        }
    }

    private func unknown() -> any Error {
        let declared = manifest.tasks.map(\.declaration.identifier)
        let nearest = NearMiss.nearest(to: identifier, among: declared)
        complain(
            "no task of the manifest handles \"\(identifier)\""
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? "; add it to `tasks`"))
        return Exit.refused
    }
}

extension PastState.Absence {
    /// What is known, and what to do.
    fileprivate var message: String {
        switch self {
        case .empty:
            "no journal tells of the past; a host writes one, unless `journal_size` is 0"
        case .beginsLater(let date):
            "the journal begins at \(date.localText); a larger `journal_size` reaches further back"
        case .paused(let pending, let date):
            "nothing was recorded from \(date.localText) on: \(pending) requests were pending, more "
                + "than `journal_size` has room for"
        case .different:
            "this bgrun decides otherwise than the one that has written the journal; see bgrun replay"
        }
    }
}
