// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest
import BGRunStore
import BGRunSupervisor
import BGRunWire
import CBGRunPlugin
import CBGRunShims

/// Visits that plugins have not received yet: a person has used the app and left it (Apple:
/// applicationDidEnterBackground). One at a time, each as an attempt that bypasses the engine.
struct Visits {
    /// Their attempts are numbered down from here: below those of hooks, which count down from -1.
    static let firstAttempt = Int64.min / 2

    /// When each plugin was last notified, in milliseconds since 1970.
    var told: [String: Int64]
    var due: [String] = []
    var current: Current?
    var timer: LoopTimer?
    var nextAttempt = Visits.firstAttempt

    struct Current {
        let plugin: String
        let attempt: Int64
        let began: WallTime
        /// Whether it was expired.
        var isTold = false
    }

    static func isVisit(attempt: Int64) -> Bool { attempt <= firstAttempt }
}

extension Host {
    /// Whether a visit is running or pending.
    public var hasVisits: Bool { visits.current != nil || !visits.due.isEmpty && !engine.isEnding }

    /// Notifies each plugin that was never notified, or not since a person last used the app.
    func startVisits() {
        let last = engine.appFacts.lastForeground?.milliseconds ?? .min
        visits.due = followers.filter { visits.told[$0].map { $0 < last } ?? true }
        tellNextVisit()
    }

    /// A person has used the app.
    func appWasUsed() {
        visits.due += followers.filter { !visits.due.contains($0) }
        tellNextVisit()
    }

    /// The plugins that may be apps, sorted by name. Only their workers know which ones are.
    private var followers: [String] {
        Set(
            manifest.tasks.compactMap { task in
                guard case .handler(let plugin, BGRUN_DEFAULT_HANDLER) = task.action else {
                    return nil
                }
                return plugin
            }
        ).sorted()
    }

    private func tellNextVisit() {
        guard visits.current == nil, breakdown == nil, !engine.isEnding, isStarted,
            !engine.appFacts.isForceQuit, !visits.due.isEmpty
        else { return }
        let plugin = visits.due.removeFirst()
        guard let task = task(of: plugin) else { return tellNextVisit() }
        let attempt = visits.nextAttempt
        visits.nextAttempt -= 1
        visits.current = Visits.Current(plugin: plugin, attempt: attempt, began: now)
        let policy = engine.configuration.policy
        let deadline = bgrun_boottime_ns().saturatingAdding(
            policy.timeLimit(for: .appRefresh).nanoseconds)
        let work = Work(
            key: WorkerKey(plugin: plugin, environment: environment(of: task)),
            launch: HostMessage.Launch(
                attempt: attempt, identifier: manifest.app, kind: UInt8(BGRUN_KIND_APP),
                attemptNumber: 1, action: .handler(BGRUN_DEFAULT_HANDLER), parameters: "{}",
                manifestDirectory: manifest.directory, deadlineBoottime: deadline,
                assertionLimitNanoseconds: policy.assertionLimit.nanoseconds,
                device: deviceOfWorkers, checkpoint: nil))
        if case .short = supervisor.prepare(work) { return postponeVisit() }
        supervisor.launch(attempt)
        // Without a timer the visit is not started: nothing would end it.
        visits.timer = try? LoopTimer(loop) { [unowned self] in visitIsOverdue() }
        if visits.timer == nil { supervisor.kill(attempt) }
        visits.timer?.set(elapsed: deadline)
    }

    /// The worker could not be started for lack of a resource: the visit is retried later.
    private func postponeVisit() {
        guard let current = visits.current else { return }
        visits.current = nil
        visits.due.insert(current.plugin, at: 0)
        visits.timer = try? LoopTimer(loop) { [unowned self] in tellNextVisit() }
        let wait = engine.configuration.policy.shortageWait.nanoseconds
        visits.timer?.set(elapsed: bgrun_boottime_ns().saturatingAdding(wait))
    }

    private func task(of plugin: String) -> TaskDefinition? {
        manifest.tasks.first { task in
            if case .handler(plugin, BGRUN_DEFAULT_HANDLER) = task.action { true } else { false }
        }
    }

    /// Something happened to the attempt of a visit.
    func takeOfVisit(_ notice: AttemptNotice) {
        switch notice {
        case .line(_, let line):
            log.write(
                LogLine(at: clock.now.wall, level: line.level, handler: "app", text: line.text))
        case .call(let attempt, let call, let answer):
            self.answer(call, from: attempt, answer)
        case .ended(let attempt, let end):
            guard let current = visits.current, current.attempt == attempt else { return }
            visits.current = nil
            visits.timer = nil
            if end.outcome != .completed {
                let why = end.message.map { ": \($0)" } ?? ""
                say(
                    .warning,
                    "The plugin \(current.plugin) was told that the app was used, and "
                        + end.outcome.sentence + why)
            }
            // The next host notifies a plugin that could not be loaded.
            if end.outcome != .refused {
                visits.told[current.plugin] = current.began.milliseconds
                unsaved.append(.rememberVisit(plugin: current.plugin, at: current.began))
                saveAfterThisRound()
            }
            loop.afterThisRound { [unowned self] in
                tellNextVisit()
                endIfDone()
            }
        case .deferred: postponeVisit()
        case .loaded, .registered, .progress, .title, .assertionBegan, .assertionEnded, .reported:
            break
        }
    }

    /// It is first expired, then killed.
    private func visitIsOverdue(_ reason: StopReason = .time) {
        guard let current = visits.current else { return }
        guard !current.isTold else { return supervisor.kill(current.attempt) }
        visits.current?.isTold = true
        let grace = engine.configuration.policy.grace
        let end = bgrun_boottime_ns().saturatingAdding(grace.nanoseconds)
        supervisor.expire(current.attempt, reason, grace: grace, deadlineElapsed: end)
        visits.timer?.set(elapsed: end)
    }

    /// The next host delivers visits that are left when this one ends.
    func visitsAreDone() -> Bool {
        if engine.isEnding, let current = visits.current, !current.isTold {
            visitIsOverdue(.shutdown)
        }
        return !hasVisits
    }

    func killVisit() {
        if let current = visits.current { supervisor.kill(current.attempt) }
    }
}
