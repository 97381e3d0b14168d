// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunDevice
import BGRunEventLog
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

/// Explains the decision about one identifier of an app.
struct AppExplanation {
    let manifest: Manifest
    let state: StateDirectory
    let identifier: String

    /// The current state, with at most `history` earlier waits.
    func now(history: Int) throws -> ExplanationView { described(try present(history: history)) }

    /// The state at `time`, past with at most `history` earlier waits, or a forecast.
    func at(_ time: TimeArgument, history: Int) throws -> ExplanationView {
        let now = try clock()
        let date = time.date(at: now.wall)
        return described(
            date > now.wall
                ? try future(date, time, from: now) : try past(date, history: history))
    }

    private func described(_ view: ExplanationView) -> ExplanationView {
        var view = view
        view.description = view.description ?? manifest.task(for: identifier)?.description
        return view
    }

    private func present(history: Int) throws -> ExplanationView {
        var view: ExplanationView
        if let answer = try askHost() {
            view = answer
            // A member of the control group may ask the host, but not read its files.
            guard access(state.path, R_OK) == 0 else { return view }
        } else if SimulatedState.isMarked(state), let last = PastState.last(in: state.journalImages)
        {
            // A simulated device ends with its run, and its time stops.
            view = try past(last.wall, history: history)
            view.events = try lastEvents()
            return view
        } else {
            let now = SimulatedState.isMarked(state) ? try clock() : SystemClock().now
            var (engine, interrupted) = try engine(on: try device())
            // The next host begins with them: their requests are pending again.
            var random = SystemRandomNumberGenerator()
            _ = engine.handle(.recover(interrupted), at: now, using: &random)
            guard let explanation = engine.explain(identifier, at: now.wall) else {
                throw manifest.unknown(identifier)
            }
            view = ExplanationView(explanation, now: now.wall)
            view.host = "none"
            if explanation.kind == .push {
                view.pushes = ExplanationView.Pushes(
                    try state.storeToRead()?.heldPushes(of: identifier) ?? [])
            }
        }
        addReasonOfUse(to: &view)
        if history > 0 {
            addHistory(
                to: &view, state.journalImages, history, try state.hasHost,
                stored: manifest.policy.journalBytes == 0
                    ? nil : state.storedWait(of: identifier, at: SystemClock().now.wall))
        }
        view.events = try lastEvents()
        return view
    }

    /// The engine knows that the device is in use; only the reading knows the reason: input, or pressure that
    /// a program may cause.
    private func addReasonOfUse(to view: inout ExplanationView) {
        let isStated = manifest.device.userIdle == .no
        let names = ["user-activity", "idle"]
        let indices = view.lines.indices.filter {
            let line = view.lines[$0]
            return !line.satisfied && line.note != .unknown && names.contains(line.name)
        }
        guard !indices.isEmpty, !SimulatedState.isMarked(state) else { return }
        let reading = try? DeviceSnapshot.take(stateDirectory: state.path).userIdle
        guard isStated || reading?.value == .no else { return }
        let reason = isStated ? "stated in the manifest" : reading?.because ?? ""
        for index in indices { view.lines[index].current += ": \(reason)" }
    }

    private func future(
        _ date: WallTime, _ time: TimeArgument, from now: Instant
    ) throws -> ExplanationView {
        if let answer = try askHost(time.interval == nil ? date : nil, in: time.interval) {
            return answer
        }
        let (engine, interrupted) = try engine(on: try device())
        let forecast = engine.forecast(to: date, from: now, after: [.recover(interrupted), .start])
        guard var view = ExplanationView(forecast, of: identifier) else {
            throw manifest.unknown(identifier)
        }
        view.host = "none"
        return view
    }

    /// Now; for a simulated run, the time of its host, or the one it has reached.
    private func clock() throws -> Instant {
        let now = SystemClock().now
        guard SimulatedState.isMarked(state) else { return now }
        if let date = try askHost(in: .zero)?.at {
            return Instant(elapsed: now.elapsed, wall: date)
        }
        if let last = PastState.last(in: state.journalImages) { return last }
        let event = try lastEvents().last
        return event.map { Instant(elapsed: now.elapsed, wall: $0.at) } ?? now
    }

    /// The state at `date`, with at most `history` earlier waits.
    func past(_ date: WallTime, history: Int) throws -> ExplanationView {
        let images = state.journalImages
        let isRunning = try state.hasHost
        let past: PastState
        do throws(PastState.Absence) {
            past = try PastState.at(date, in: images, isHostRunning: isRunning)
        } catch {
            throw Exit.noInput.reporting(error.message)
        }
        guard let explanation = past.engine.explain(identifier, at: date) else {
            throw manifest.unknown(identifier)
        }
        var view = ExplanationView(explanation, now: date)
        view.at = date
        view.asOf = past.asOf.wall
        view.host = "\(past.host)"
        view.damage = past.damage
        if history > 0 { addHistory(to: &view, images, history, isRunning, until: date) }
        return view
    }

    private func addHistory(
        to view: inout ExplanationView, _ images: [JournalImage], _ limit: Int, _ isRunning: Bool,
        until date: WallTime? = nil, stored: (what: WaitHistory.Stored, now: WallTime)? = nil
    ) {
        let waits = WaitHistory(
            of: identifier, in: images, limit: limit, isHostRunning: isRunning, until: date,
            stored: stored)
        view.historyGap = waits.gap
        view.historyBegins = waits.begins
        view.history = waits.stretches
    }

    /// - Parameter interval: For a future date, in place of `date`: the distance from the host's now.
    private func askHost(
        _ date: WallTime? = nil, in interval: Interval? = nil
    ) throws -> ExplanationView? {
        try HostAccess.ask(
            ControlRequest(.explain, identifier: identifier, delay: interval, at: date), state)?
            .orRefused().explanation
    }

    /// The initial state of a host that started now on `device`.
    private func engine(on device: DeviceState) throws -> (Engine, [InterruptedAttempt]) {
        let (restored, interrupted) =
            try state.storeToRead()?.restoration() ?? (Engine.Restoration(), [])
        return (
            Engine(manifest.engineConfiguration, device: device, restoring: restored), interrupted
        )
    }

    /// The names of the current obstacles of its request, besides dates; empty while reading all pending
    /// requests would take too long.
    func obstacles() throws -> [String] {
        guard isQuick else { return [] }
        return try now(history: 0).lines.filter { !$0.satisfied && $0.subject != .date }
            .map(\.name)
    }

    /// Whether another command may read all pending requests only to print more details.
    private var isQuick: Bool { ((try? state.storeToRead()?.pendingCount()) ?? 0) <= 1_000 }

    /// The request that the start of a host would submit now for a task of `submit: launch` without a request;
    /// nil: none.
    func submissionAtStart() throws -> String? {
        guard manifest.task(for: identifier)?.declaration.submission == .launch, isQuick,
            !SimulatedState.isMarked(state)
        else { return nil }
        let now = SystemClock().now
        var (engine, interrupted) = try engine(on: DeviceState())
        var random = SystemRandomNumberGenerator()
        _ = engine.handle(.recover(interrupted), at: now, using: &random)
        _ = engine.handle(.start, at: now, using: &random)
        guard let explanation = engine.explain(identifier, at: now.wall) else { return nil }
        let start = "a start now would submit it"
        switch explanation.state {
        case .pending(let request):
            return start + date(of: request, after: now.wall)
        case .running: return start
        case .idle: return nil
        }
    }

    /// " for" the future date of a request that is not submitted yet. The delay by jitter is drawn at the
    /// submission.
    private func date(of request: TaskRequest, after now: WallTime) -> String {
        let jitter = manifest.task(for: identifier)?.declaration.jitter ?? .zero
        let isDelayed = jitter > .zero
        guard let date = isDelayed ? request.occurrence : request.earliest, date > now else {
            return ""
        }
        return " for \(date.localText)"
            + (isDelayed ? " or up to \(Quantity.text(jitter)) later" : "")
    }

    /// The device of this machine, or the last simulated one.
    private func device() throws -> DeviceState {
        guard SimulatedState.isMarked(state) else {
            return try DeviceSnapshot.take(stateDirectory: state.path).state.stated(manifest.device)
        }
        let images = state.journalImages
        guard let last = PastState.last(in: images),
            let past = try? PastState.at(last.wall, in: images, isHostRunning: false)
        else { return DeviceState() }
        return past.engine.deviceState
    }

    private func lastEvents() throws -> [ExplanationView.Event] {
        guard let store = try state.storeToRead() else { return [] }
        return try store.lastEvents(of: identifier, limit: 20).map(\.line).map {
            ExplanationView.Event(
                at: $0.at.wall, kind: $0.kind, attempt: $0.attempt, text: $0.text)
        }
    }
}

extension PastState.Absence {
    /// The known cause, and the remedy.
    fileprivate var message: String {
        switch self {
        case .empty: "no journal covers the past; a host writes one, unless `journal_size` is 0"
        case .damaged(let damage): "\(damage); nothing in the journal can be read"
        case .beginsLater(let date):
            "the journal begins at \(date.localText); a larger `journal_size` reaches further back"
        case .paused(let pending, let date):
            "nothing was recorded from \(date.localText) on: a snapshot, of \(pending) pending "
                + "requests, took more than a quarter of `journal_size`"
        case .different: Replay.disagreement
        }
    }
}
