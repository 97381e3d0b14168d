// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSupervisor
import BGRunSystem

/// Commands and web requests after events of tasks.
package enum Hooks {
    /// - Parameter areRun: Whether hooks run; otherwise they are only logged.
    package static func feature(areRun: Bool = true) -> HostFeatureMaker {
        { try HooksFeature($0, $1, areRun: areRun) }
    }
}

/// Runs hooks after events of tasks.
final class HooksFeature: HostFeature {
    private unowned let host: Host
    private var hooks: [HookDefinition]
    private var rule: HookRule
    private var queue: HookQueue
    private let runner: HookRunner
    /// Whether hooks run; otherwise they are only logged.
    private let areRun: Bool
    /// For starving requests; nil while no hook watches one.
    private var timer: (any HostTimer)?
    /// When the timer fires.
    private var alarm: WallTime?
    /// Whether the log already says that the end waits for the running hook.
    private var isAwaited = false

    init(_ host: Host, _ ports: Host.Ports, areRun: Bool) throws(StoreError) {
        self.host = host
        hooks = host.manifest.hooks
        rule = Self.rule(host.manifest, try host.store.rememberedOfHooks(), at: host.clock.now.wall)
        queue = HookQueue(try host.store.firings())
        runner = HookRunner(host.loop, host.supervisor, workerExecutable: ports.workerExecutable)
        self.areRun = areRun
    }

    /// The firings of hooks for these decisions, as changes to store in the same transaction.
    func changes(
        for actions: [Action], ends: [Int64: AttemptEnd], at now: Instant
    ) -> [StoreChange] {
        guard !hooks.isEmpty else { return [] }
        var givenUp: [String: Outcome] = [:]
        for case .record(.gaveUp(let request, let outcome)) in actions {
            givenUp[request.identifier] = outcome
        }
        var changes: [StoreChange] = []
        for action in actions {
            switch action {
            case .store(let request):
                if let date = rule.wait(for: request) { setAlarm(date, at: now) }
            case .remove(let request):
                stopWaiting(for: request.identifier)
            case .launch(let attempt):
                stopWaiting(for: attempt.request.identifier)
            case .record(.ended(let identifier, let attempt, let outcome)):
                let isGivenUp = givenUp.removeValue(forKey: identifier) != nil
                changes += note(.ended(outcome, isGivenUp: isGivenUp), of: identifier, at: now) {
                    $0.attempt = attempt
                    $0.outcome = outcome.name
                    $0.reason = outcome.reason
                    $0.message = ends[attempt]?.message
                }
            case .record(.skipped(let request, let attempt)):
                changes += note(.skipped, of: request.identifier, at: now) {
                    $0.message = "attempt \(attempt) is running"
                }
            case .record(.missed(let request, _)):
                changes += note(.skipped, of: request.identifier, at: now) {
                    $0.message = "its `start_deadline` is over, or its next date has come"
                }
            case .record(.refused(let identifier, let refusal)):
                changes += note(.refused, of: identifier, at: now) { $0.message = refusal.message }
            default: break
            }
        }
        // The remaining ones had no attempt that ended in this round.
        for (identifier, outcome) in givenUp.sorted(by: { $0.key < $1.key }) {
            changes += note(.gaveUp, of: identifier, at: now) { $0.outcome = outcome.name }
        }
        return changes + rememberedChanges()
    }

    private func note(
        _ happening: HookRule.Happening, of identifier: String, at now: Instant,
        _ complete: (inout HookEvent) -> Void
    ) -> [StoreChange] {
        let firings = rule.note(happening, of: identifier, at: now.wall)
        return fire(firings, at: now, complete)
    }

    private func rememberedChanges() -> [StoreChange] {
        let changes = rule.takeChanges()
        guard areRun else { return [] }
        return changes.map { .rememberOfHooks(name: $0.name, value: $0.value) }
    }

    private func fire(
        _ firings: [HookRule.Firing], at now: Instant, _ complete: (inout HookEvent) -> Void
    ) -> [StoreChange] {
        firings.compactMap { firing in
            let hook = hooks[firing.hook]
            var event = HookEvent(
                event: firing.trigger, app: host.manifest.app, identifier: firing.identifier,
                at: now.wall.milliseconds, failures: firing.failures,
                manifest: host.manifest.absolutePath)
            complete(&event)
            event = event.withSubject()
            let name = "the hook on \(firing.trigger.rawValue) of \(firing.identifier)"
            guard areRun else {
                host.say(.info, "A host of this machine would run \(name)")
                return nil
            }
            let change = queue.add(event, of: hook)
            if change == nil {
                host.say(.warning, "Dropped \(name): \(HookQueue.limit) are still to be run")
            }
            return change
        }
    }

    // MARK: running

    /// Runs the hooks that an earlier host did not run, and watches pending requests.
    func start() {
        var changes = rememberedChanges()
        if hooks.isEmpty || !areRun {
            for firing in queue.firings { changes.append(queue.remove(firing.id)) }
        }
        host.save(changes)
        watchForStarvation()
        runNextHook()
    }

    private static func rule(
        _ manifest: Manifest, _ memory: [String: Int64], at now: WallTime
    ) -> HookRule {
        let deadline = manifest.policy.starvationDeadline
        return HookRule(
            manifest.hooks, timeout: deadline > .zero ? deadline : .days(1), memory: memory,
            at: now)
    }

    /// Applies the hooks of the changed manifest.
    func manifestChanged(from old: Manifest) {
        host.save(rememberedChanges())
        hooks = host.manifest.hooks
        rule = Self.rule(host.manifest, rule.memory, at: host.clock.now.wall)
        host.save(rememberedChanges())
        watchForStarvation()
    }

    /// Runs the oldest waiting hook, unless one runs or the host is ending: then the next host runs it.
    private func runNextHook() {
        guard areRun, !runner.isRunning, host.breakdown == nil, !host.engine.isEnding else {
            return
        }
        while let firing = queue.firings.first {
            guard let hook = hooks.first(where: { $0.key == firing.hook }),
                var event = HookEvent(json: firing.event)
            else {
                // The manifest has changed since.
                host.save([queue.remove(firing.id)])
                host.loop.afterThisRound { [unowned self] in host.endIfDone() }
                continue
            }
            if let attempt = event.attempt {
                event.takeOutput(
                    (try? host.store.lastOutput(attempt: attempt, limit: HookEvent.outputLines))
                        ?? [])
            }
            return run(firing, hook, event)
        }
    }

    private func run(_ firing: StoredFiring, _ hook: HookDefinition, _ event: HookEvent) {
        let name = "hook on \(event.event.rawValue) of \(event.identifier)"
        say(.info, "Running the \(name)", of: event)
        runner.run(firing.id, hook, event, of: host.manifest) { [unowned self] end in
            // A hook killed with the host is run again by the next one.
            guard !runner.isKilled else { return host.endIfDone() }
            let why = end.outcome == .completed ? nil : end.message
            let outcome = end.outcome.sentence + (why.map { ": \($0)" } ?? "")
            if end.outcome != .completed { say(.error, "The \(name) \(outcome)", of: event) }
            host.save([
                queue.remove(firing.id),
                .event(
                    EventLine(
                        at: host.clock.now, kind: LogLine.hook, identifier: event.identifier,
                        attempt: event.attempt, text: "The \(name) \(outcome)")),
            ])
            runNextHook()
            host.loop.afterThisRound { [unowned self] in host.endIfDone() }
        }
    }

    private func say(_ level: LogLine.Level, _ text: String, of event: HookEvent) {
        host.log.write(
            LogLine(
                at: host.clock.now.wall, level: level, text: text,
                subject: LogLine.Subject(kind: LogLine.hook, identifier: event.identifier)))
    }

    /// Handles a notice about the attempt of a hook.
    func take(_ notice: AttemptNotice) -> Bool {
        guard HookRunner.isHook(attempt: notice.attempt) else { return false }
        switch notice {
        case .line(_, let line): log(line)
        case .ended(let attempt, let end):
            if let last = end.lastLines {
                if let note = OutputGap.note(end.skippedLines) {
                    log(HandlerLine(source: .log(1), text: note))
                }
                for line in last.lines { log(line.line) }
            }
            if let resource = end.outcome.stopReason?.shortage {
                return take(.deferred(attempt: attempt, resource))
            }
        // An ending host does not wait for its next try.
        case .deferred: host.loop.afterThisRound { [unowned self] in host.endIfDone() }
        default: break
        }
        runner.take(notice)
        return true
    }

    private func log(_ line: HandlerLine) {
        host.log.write(
            LogLine(
                at: host.clock.now.wall, level: line.level, handler: LogLine.hook, text: line.text))
    }

    func manifest(ofPlugin name: String) -> Manifest? {
        name == HookRunner.plugin ? HookRunner.manifest(of: host.manifest) : nil
    }

    func afterCommit(_ actions: [Action]) {
        guard !queue.isEmpty else { return }
        host.loop.afterThisRound { [unowned self] in runNextHook() }
    }

    /// A hook that ran when an earlier host was killed has no attempt in the store.
    var mayHaveLeftovers: Bool { !queue.isEmpty }

    /// A running hook keeps its time limit; the others run only if the host was not told to end.
    func stop() -> Bool {
        let isEnding = host.engine.isEnding
        // With `--once` no timer reports starvation: check here.
        if host.ending == .afterOneRound, !isEnding { tellOfStarvation() }
        guard runner.isRunning, !(isEnding && runner.isWaiting) else {
            return isEnding || queue.isEmpty || !areRun
        }
        if isEnding, !isAwaited {
            isAwaited = true
            host.say(.info, "Waiting for the hook that runs; a second signal kills it")
        }
        return false
    }

    func kill() { runner.kill() }

    // MARK: starvation

    private func watchForStarvation() {
        if hooks.contains(where: { $0.triggers.contains(.starved) }) {
            for request in host.engine.pendingRequests(first: .max) { _ = rule.wait(for: request) }
        }
        setNextAlarm()
    }

    private func setNextAlarm() {
        alarm = nil
        if let date = rule.nextStarvation {
            setAlarm(date, at: host.clock.now)
        } else {
            timer = nil
        }
    }

    private func stopWaiting(for identifier: String) {
        rule.stopWaiting(for: identifier)
        guard alarm != nil, !rule.isWaiting else { return }
        alarm = nil
        timer = nil
    }

    private func setAlarm(_ date: WallTime, at now: Instant) {
        if let alarm, alarm <= date { return }
        if timer == nil {
            timer = try? host.clock.timer(host.loop) { [unowned self] in alarmFires() }
        }
        alarm = date
        let wait = max(.zero, now.wall.interval(until: date))
        timer?.set(elapsed: now.elapsed.saturatingAdding(wait.nanoseconds))
    }

    private func alarmFires() {
        guard host.breakdown == nil else { return }
        tellOfStarvation()
        setNextAlarm()
    }

    /// Fires the hooks of requests that starve now.
    private func tellOfStarvation() {
        let now = host.clock.now
        let firings = rule.starve(at: now.wall)
        guard !firings.isEmpty else { return }
        let changes = fire(firings, at: now) { event in
            event.reason = host.engine.pendingSentence(event.identifier, at: now.wall)
            let since = rule.due[event.identifier] ?? now.wall
            event.waited = now.wall.milliseconds(since: since)
        }
        host.save(changes + rememberedChanges())
        // Stored first, then run.
        host.loop.afterThisRound { [unowned self] in runNextHook() }
    }
}

extension LogLine {
    /// The handler of lines that hooks write, and the kind of the host's own lines about them.
    package static let hook = "hook"
}
