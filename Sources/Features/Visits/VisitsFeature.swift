// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import CBGRunPlugin
import CBGRunShims

/// Notifies plugins after a person has used the app.
package enum Visits {
    package static func feature() -> HostFeatureMaker { { host, _ in try VisitsFeature(host) } }
}

/// Notifies plugins of visits: a person has used the app and left it (Apple: applicationDidEnterBackground). One at a
/// time, each as an attempt that bypasses the engine.
final class VisitsFeature: HostFeature {
    /// The first number of their attempts, which count down: below those of hooks, which count down from -1.
    private static let firstAttempt = Int64.min / 2

    private unowned let host: Host
    /// When each plugin was last notified, in milliseconds since 1970.
    private var told: [String: Int64]
    private var due: [String] = []
    private var current: Current?
    private var timer: LoopTimer?
    private var nextAttempt = VisitsFeature.firstAttempt

    private struct Current {
        let plugin: String
        let attempt: Int64
        let began: WallTime
        var isLoaded = false
        /// Whether it was expired.
        var isTold = false
    }

    init(_ host: Host) throws(StoreError) {
        self.host = host
        told = try host.store.visits()
    }

    /// Whether a visit is running or is delivered next. After a force quit it waits for the next use.
    var hasVisits: Bool { current != nil || !due.isEmpty && mayTell }

    private var mayTell: Bool {
        host.breakdown == nil && !host.engine.isEnding && !host.engine.appFacts.isForceQuit
    }

    /// Notifies each plugin that was never notified, or not since a person last used the app.
    func start() {
        due = untold
        tellNextVisit()
    }

    /// The same for the plugins that the changed manifest adds; those that it removes are not notified.
    func manifestChanged(from old: Manifest) {
        let named = followers
        due.removeAll { !named.contains($0) }
        due += untold.filter { $0 != current?.plugin && !due.contains($0) }
        tellNextVisit()
    }

    /// A person has used the app.
    func afterCommit(_ actions: [Action]) {
        for case .record(.appOpened) in actions {
            due += followers.filter { !due.contains($0) }
            tellNextVisit()
        }
    }

    /// The plugins that may be apps, each with its first task. Only their workers know which ones are.
    private var tasks: [String: TaskDefinition] {
        let all = host.manifest.tasks.compactMap { task -> (String, TaskDefinition)? in
            guard case .handler(let plugin, BGRUN_DEFAULT_HANDLER) = task.action else { return nil }
            return (plugin, task)
        }
        return Dictionary(all) { first, _ in first }
    }

    /// Their names, sorted.
    private var followers: [String] { tasks.keys.sorted() }

    /// The followers that were never notified, or not since a person last used the app.
    private var untold: [String] {
        let last = host.engine.appFacts.lastForeground?.milliseconds ?? .min
        // A date in the future comes from a clock that was set back: the last use may be after it.
        let now = host.clock.now.wall.milliseconds
        return followers.filter { told[$0].map { $0 < last || $0 > now } ?? true }
    }

    private func tellNextVisit() {
        guard current == nil, !due.isEmpty, host.isStarted, mayTell else { return }
        let plugin = due.removeFirst()
        guard let task = tasks[plugin] else { return tellNextVisit() }
        let attempt = nextAttempt
        nextAttempt -= 1
        precondition(
            attempt <= Self.firstAttempt, "visit \(attempt) has a number of other attempts")
        current = Current(plugin: plugin, attempt: attempt, began: host.clock.now.wall)
        let (manifest, policy) = (host.manifest, host.engine.configuration.policy)
        let deadline = bgrun_boottime_ns().saturatingAdding(
            policy.timeLimits.appRefresh.nanoseconds)
        let work = Work(
            key: host.workerKey(of: task, plugin: plugin),
            launch: HostMessage.Launch(
                attempt: attempt, identifier: manifest.app, kind: UInt8(BGRUN_KIND_APP),
                attemptNumber: 1, action: .handler(BGRUN_DEFAULT_HANDLER), parameters: "{}",
                manifestDirectory: manifest.directory, deadlineBoottime: deadline,
                assertionLimitNanoseconds: policy.assertionLimit.nanoseconds,
                device: host.deviceOfWorkers, checkpoint: nil))
        if case .short = host.supervisor.prepare(work) { return postponeVisit() }
        host.supervisor.launch(attempt)
        if case .loaded = host.supervisor.plugin(of: attempt) { current?.isLoaded = true }
        // Without a timer the visit is not started: nothing would end it.
        timer = try? LoopTimer(host.loop) { [unowned self] in visitIsOverdue() }
        if timer == nil { host.supervisor.kill(attempt) }
        timer?.set(elapsed: deadline)
    }

    /// The worker could not be started for lack of a resource: the visit is retried later.
    private func postponeVisit() {
        guard let current else { return }
        self.current = nil
        due.insert(current.plugin, at: 0)
        timer = try? LoopTimer(host.loop) { [unowned self] in tellNextVisit() }
        let wait = host.engine.configuration.policy.shortageWait.nanoseconds
        timer?.set(elapsed: bgrun_boottime_ns().saturatingAdding(wait))
    }

    /// Handles a notice about the attempt of a visit.
    func take(_ notice: AttemptNotice) -> Bool {
        guard notice.attempt <= Self.firstAttempt else { return false }
        switch notice {
        case .line(_, let line):
            host.log.write(
                LogLine(
                    at: host.clock.now.wall, level: line.level, handler: "app", text: line.text))
        case .call(let attempt, let call, let answer):
            host.answer(call, from: attempt, answer)
        case .ended(let attempt, let end):
            guard let current, current.attempt == attempt else { break }
            ended(current, end)
        case .deferred: postponeVisit()
        case .loaded(let attempt, let plugin, let loaded):
            host.sayRegistered(plugin, loaded)
            if current?.attempt == attempt { current?.isLoaded = true }
        // A task that is submitted during the visit needs it.
        case .registered: return false
        case .waits, .began, .progress, .title, .assertionBegan, .assertionEnded, .reported: break
        }
        return true
    }

    private func ended(_ visit: Current, _ end: AttemptEnd) {
        current = nil
        timer = nil
        if end.outcome != .completed {
            let why = end.message.map { ": \($0)" } ?? ""
            host.say(
                .warning,
                "The plugin \(visit.plugin) was told that the app was used, and "
                    + end.outcome.sentence + why)
        }
        // The next host or manifest notifies the remaining plugins.
        if Self.isTold(visit, end.outcome) {
            told[visit.plugin] = visit.began.milliseconds
            host.save([.rememberVisit(plugin: visit.plugin, at: visit.began)])
        }
        host.loop.afterThisRound { [unowned self] in
            // The clock of a rehearsal stands still again.
            host.noteWork()
            tellNextVisit()
            host.endIfDone()
        }
    }

    /// Whether the plugin is not notified of the visit again. One that crashed or used all of its time
    /// would do so again. One whose time was revoked may not have been launched yet.
    private static func isTold(_ visit: Current, _ outcome: Outcome) -> Bool {
        switch outcome {
        case .refused: false
        case .expired(let reason, let reported):
            reported == true || reason == .time && visit.isLoaded
        default: true
        }
    }

    /// Expires it first, then kills it.
    private func visitIsOverdue(_ reason: StopReason = .time) {
        guard let current else { return }
        guard !current.isTold else { return host.supervisor.kill(current.attempt) }
        self.current?.isTold = true
        let grace = host.engine.configuration.policy.grace
        let end = bgrun_boottime_ns().saturatingAdding(grace.nanoseconds)
        host.supervisor.expire(current.attempt, reason, grace: grace, deadlineElapsed: end)
        timer?.set(elapsed: end)
    }

    /// The next host delivers the visits that remain when this one ends.
    func stop() -> Bool {
        if host.engine.isEnding, let current, !current.isTold { visitIsOverdue(.shutdown) }
        return !hasVisits
    }

    func kill() { if let current { host.supervisor.kill(current.attempt) } }
}

extension Host {
    /// Whether a visit is running or pending.
    package var hasVisits: Bool { feature(VisitsFeature.self)?.hasVisits ?? false }
}
