// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest
import BGRunStore
import BGRunSupervisor

/// What a host knows of its hooks.
struct Hooks {
    var rule: HookRule
    var queue: HookQueue
    let runner: HookRunner
    /// Whether they are run; otherwise the log says which would be.
    let areRun: Bool
    /// For requests that starve; nil while no hook asks.
    var timer: (any HostTimer)?
    /// When it goes off.
    var alarm: WallTime?
    /// Whether it was said that the end waits for the one that runs.
    var isAwaited = false
}

extension Host {
    /// Which hooks what is decided fires: what is to be stored of that, with all the rest of it.
    func hookChanges(for actions: [Action], at now: Instant) -> [StoreChange] {
        defer { endMessages = [:] }
        guard !manifest.hooks.isEmpty else { return [] }
        var givenUp: [String: Outcome] = [:]
        for case .record(.gaveUp(let request, let outcome)) in actions {
            givenUp[request.identifier] = outcome
        }
        var changes: [StoreChange] = []
        for action in actions {
            switch action {
            case .store(let request):
                if let date = hooks.rule.wait(for: request) { setAlarm(date, at: now) }
            case .remove(let request):
                stopWaiting(for: request.identifier)
            case .launch(let attempt):
                stopWaiting(for: attempt.request.identifier)
            case .record(.ended(let identifier, let attempt, let outcome)):
                let isGivenUp = givenUp.removeValue(forKey: identifier) != nil
                changes += note(.ended(outcome, isGivenUp: isGivenUp), of: identifier, at: now) {
                    $0.attempt = attempt
                    $0.outcome = outcome.name
                    if case .expired(let reason, _) = outcome { $0.reason = reason.name }
                    $0.message = endMessages[attempt]
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
        // Those that are left had no attempt that ended in this round.
        for (identifier, outcome) in givenUp.sorted(by: { $0.key < $1.key }) {
            changes += note(.gaveUp, of: identifier, at: now) { $0.outcome = outcome.name }
        }
        return changes + rememberedChanges()
    }

    private func note(
        _ happening: HookRule.Happening, of identifier: String, at now: Instant,
        _ complete: (inout HookEvent) -> Void
    ) -> [StoreChange] {
        let firings = hooks.rule.note(happening, of: identifier, at: now.wall)
        return fire(firings, at: now, complete)
    }

    private func rememberedChanges() -> [StoreChange] {
        let changes = hooks.rule.takeChanges()
        guard hooks.areRun else { return [] }
        return changes.map { .rememberOfHooks(name: $0.name, value: $0.value) }
    }

    private func fire(
        _ firings: [HookRule.Firing], at now: Instant, _ complete: (inout HookEvent) -> Void
    ) -> [StoreChange] {
        firings.compactMap { firing in
            let hook = manifest.hooks[firing.hook]
            var event = HookEvent(
                event: firing.trigger, app: manifest.app, identifier: firing.identifier,
                at: now.wall.milliseconds, failures: firing.failures,
                manifest: manifest.absolutePath)
            complete(&event)
            event = event.withSubject()
            let name = "the hook on \(firing.trigger.rawValue) of \(firing.identifier)"
            guard hooks.areRun else {
                say(.info, "A host of this machine would run \(name)")
                return nil
            }
            let change = hooks.queue.add(event, of: hook)
            if change == nil {
                say(.warning, "Dropped \(name): \(HookQueue.limit) are still to be run")
            }
            return change
        }
    }

    // MARK: running

    /// What an earlier host has not run is run now, and what waits is waited for.
    func startHooks() {
        unsaved += rememberedChanges()
        if manifest.hooks.isEmpty || !hooks.areRun {
            for firing in hooks.queue.firings { unsaved.append(hooks.queue.remove(firing.id)) }
        }
        saveAfterThisRound()
        watchForStarvation()
        runNextHook()
    }

    static func hooks(
        _ manifest: Manifest, _ store: any HostStore, _ runner: HookRunner, areRun: Bool,
        at now: WallTime
    ) throws(StoreError) -> Hooks {
        Hooks(
            rule: rule(manifest, try store.rememberedOfHooks(), at: now),
            queue: HookQueue(try store.firings()), runner: runner, areRun: areRun)
    }

    private static func rule(
        _ manifest: Manifest, _ memory: [String: Int64], at now: WallTime
    ) -> HookRule {
        let deadline = manifest.policy.starvationDeadline
        return HookRule(
            manifest.hooks, patience: deadline > .zero ? deadline : .days(1), memory: memory,
            at: now)
    }

    /// Applies the hooks of the changed manifest.
    func changeHooks() {
        unsaved += rememberedChanges()
        hooks.rule = Self.rule(manifest, hooks.rule.memory, at: now)
        unsaved += rememberedChanges()
        saveAfterThisRound()
        watchForStarvation()
    }

    /// Runs the hook that has waited the longest, unless one runs or the host is ending: then it is left
    /// to the next host.
    func runNextHook() {
        guard hooks.areRun, !hooks.runner.isRunning, breakdown == nil, !engine.isEnding else {
            return
        }
        while let firing = hooks.queue.firings.first {
            guard let hook = manifest.hooks.first(where: { $0.key == firing.hook }),
                var event = HookEvent(json: firing.event)
            else {
                // The manifest has changed since.
                unsaved.append(hooks.queue.remove(firing.id))
                saveAfterThisRound()
                loop.afterThisRound { [unowned self] in endIfDone() }
                continue
            }
            if let attempt = event.attempt {
                event.output =
                    (try? store.lastOutput(attempt: attempt, limit: HookEvent.outputLines)) ?? []
            }
            return run(firing, hook, event)
        }
    }

    private func run(_ firing: StoredFiring, _ hook: HookDefinition, _ event: HookEvent) {
        let name = "hook on \(event.event.rawValue) of \(event.identifier)"
        say(.info, "Running the \(name)")
        hooks.runner.run(firing.id, hook, event, of: manifest) { [unowned self] end in
            // One that was killed with the host is run again by the next one.
            guard !hooksAreKilled else { return endIfDone() }
            let why = end.outcome == .completed ? nil : end.message
            let outcome = end.outcome.sentence + (why.map { ": \($0)" } ?? "")
            if end.outcome != .completed { say(.error, "The \(name) \(outcome)") }
            unsaved += [
                hooks.queue.remove(firing.id),
                .event(
                    EventLine(
                        at: clock.now, kind: "hook", identifier: event.identifier,
                        attempt: event.attempt, text: "The \(name) \(outcome)")),
            ]
            saveAfterThisRound()
            runNextHook()
            loop.afterThisRound { [unowned self] in endIfDone() }
        }
    }

    /// Something happened to the attempt of a hook.
    func takeOfHook(_ notice: AttemptNotice) {
        if case .line(_, let line) = notice {
            log.write(
                LogLine(at: clock.now.wall, level: line.level, handler: "hook", text: line.text))
        }
        hooks.runner.take(notice)
    }

    /// Whether the host may end as far as hooks are concerned: one that runs has its time, and the others
    /// do only when nobody has asked the host to end.
    func hooksAreDone() -> Bool {
        guard hooks.runner.isRunning, !(engine.isEnding && hooks.runner.isWaiting) else {
            return engine.isEnding || hooks.queue.isEmpty || !hooks.areRun
        }
        if engine.isEnding, !hooks.isAwaited {
            hooks.isAwaited = true
            say(.info, "Waiting for the hook that runs; a second signal kills it")
        }
        return false
    }

    // MARK: starvation

    private func watchForStarvation() {
        if manifest.hooks.contains(where: { $0.triggers.contains(.starved) }) {
            for request in engine.pendingRequests(first: .max) { _ = hooks.rule.wait(for: request) }
        }
        hooks.alarm = nil
        if let date = hooks.rule.nextStarvation {
            setAlarm(date, at: clock.now)
        } else {
            hooks.timer = nil
        }
    }

    private func stopWaiting(for identifier: String) {
        hooks.rule.stopWaiting(for: identifier)
        guard hooks.alarm != nil, !hooks.rule.isWaiting else { return }
        hooks.alarm = nil
        hooks.timer = nil
    }

    private func setAlarm(_ date: WallTime, at now: Instant) {
        if let alarm = hooks.alarm, alarm <= date { return }
        if hooks.timer == nil {
            hooks.timer = try? clock.timer(loop) { [unowned self] in alarmFires() }
        }
        hooks.alarm = date
        let wait = max(0, date.milliseconds.saturatingSubtracting(now.wall.milliseconds))
        let (length, isFar) = wait.multipliedReportingOverflow(by: 1_000_000)
        hooks.timer?.set(elapsed: now.elapsed + (isFar ? .max / 2 : length))
    }

    private func alarmFires() {
        guard breakdown == nil else { return }
        tellOfStarvation()
        let now = clock.now
        hooks.alarm = nil
        if let date = hooks.rule.nextStarvation {
            setAlarm(date, at: now)
        } else {
            hooks.timer = nil
        }
    }

    /// Fires the hooks of what is due for too long now.
    func tellOfStarvation() {
        let now = clock.now
        let firings = hooks.rule.starve(at: now.wall)
        guard !firings.isEmpty else { return }
        unsaved += fire(firings, at: now) { event in
            event.reason = engine.pendingSentence(event.identifier, at: now.wall)
            let since = hooks.rule.dueDate(of: event.identifier) ?? now.wall
            event.waited = now.wall.milliseconds.saturatingSubtracting(since.milliseconds)
        }
        unsaved += rememberedChanges()
        saveAfterThisRound()
        // Stored first, then run.
        loop.afterThisRound { [unowned self] in runNextHook() }
    }
}
