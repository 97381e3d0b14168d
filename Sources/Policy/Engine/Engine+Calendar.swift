// SPDX-License-Identifier: Apache-2.0

/// Tasks with a calendar: one request of each waits for an occurrence, unless the task runs or a person cancelled the
/// request.
extension Engine {
    /// The host starts, or a task is new: the task waits for the next occurrence and does not run at once.
    mutating func submitNextOccurrence(
        of task: Int, _ calendar: CalendarSchedule, at now: Instant, _ actions: inout [Action]
    ) {
        let declaration = tasks[task].declaration
        guard let next = calendar.next(after: now.wall) else { return }
        do {
            _ = try admit(declaration.identifier)
            _ = accept(
                Submission(identifier: declaration.identifier, delay: .zero), task,
                occurrence: next, at: now, &actions)
        } catch {
            actions.append(.record(.refused(declaration.identifier, error)))
        }
    }

    /// Checks the requests that wait for an occurrence when the host starts, the manifest changes or the clock is set
    /// back. An occurrence that the calendar no longer has is replaced by the next one.
    ///
    /// - Parameter isStart: Whether a host has just started: with `catch_up: none`, missed occurrences are lost.
    mutating func reviseOccurrences(isStart: Bool, at now: Instant, _ actions: inout [Action]) {
        for task in setup.calendarTasks {
            let declaration = tasks[task].declaration
            guard let calendar = declaration.schedule?.calendar,
                let request = pending.request(declaration.identifier),
                let occurrence = unlaunchedOccurrence(of: request, task)
            else { continue }
            let date = request.earliest ?? occurrence
            if isStart, declaration.catchUp == .none, date < now.wall {
                skip(request, of: task, at: now, &actions)
                continue
            }
            let repeated = declaration.repetitionStart(
                lastLaunch: tasks[task].lastLaunch, now: now.wall)
            let next = calendar.next(after: repeated)
            let isValid = calendar.contains(occurrence)
            guard !isValid || occurrence > now.wall && next.map({ $0 < occurrence }) ?? false
            else { continue }
            wait(for: next, request, of: task, at: now, &actions)
        }
    }

    /// Skips occurrences that could not be launched in time.
    mutating func skipMissed(at now: Instant, _ actions: inout [Action]) {
        expiry = nil
        for task in setup.expiringTasks {
            guard let request = pending.request(tasks[task].declaration.identifier) else {
                continue
            }
            noteExpiry(of: request, task)
            guard let date = expiry(of: request, task), date <= now.wall else { continue }
            skip(request, of: task, at: now, &actions)
        }
        if let expiry, expiry <= now.wall { self.expiry = nextExpiry(after: now.wall) }
    }

    private func nextExpiry(after now: WallTime) -> WallTime? {
        setup.expiringTasks.compactMap { task in
            pending.request(tasks[task].declaration.identifier).flatMap { expiry(of: $0, task) }
        }.filter { $0 > now }.min()
    }

    /// When the occurrence of `request` is given up; nil: never, or it was launched before.
    func expiry(of request: TaskRequest, _ task: Int) -> WallTime? {
        guard let occurrence = unlaunchedOccurrence(of: request, task) else { return nil }
        let date = request.earliest ?? occurrence
        if let known = tasks[task].expiry, known.occurrence == occurrence, known.date == date {
            return known.end
        }
        return tasks[task].declaration.expiry(of: occurrence, date: date)
    }

    /// Schedules a wake-up for when the occurrence is given up.
    mutating func noteExpiry(of request: TaskRequest, _ task: Int) {
        guard let occurrence = request.occurrence, let end = expiry(of: request, task) else {
            return
        }
        tasks[task].expiry = (occurrence, request.earliest ?? occurrence, end)
        expiry = min(expiry ?? end, end)
    }

    /// The request is launched: no wake-up is needed for its expiry.
    mutating func forgetExpiry(of request: TaskRequest, _ task: Int, at now: WallTime) {
        guard let date = expiry(of: request, task), date == expiry else { return }
        expiry = nextExpiry(after: now)
    }

    /// The occurrence that a request waits for, unless it was launched for it and now continues.
    private func unlaunchedOccurrence(of request: TaskRequest, _ task: Int) -> WallTime? {
        guard let occurrence = request.occurrence, tasks[task].declaration.schedule != nil,
            tasks[task].lastLaunch.map({ $0 < occurrence }) ?? true
        else { return nil }
        return occurrence
    }

    private mutating func skip(
        _ request: TaskRequest, of task: Int, at now: Instant, _ actions: inout [Action]
    ) {
        let declaration = tasks[task].declaration
        guard let calendar = declaration.schedule?.calendar, let occurrence = request.occurrence
        else { return }
        let next = declaration.nextOccurrence(
            of: calendar, after: occurrence, now: now.wall,
            limit: configuration.policy.catchUpLimit)
        actions.append(.record(.missed(request, next: next)))
        wait(for: next, request, of: task, at: now, &actions)
    }

    /// Replaces the request by one for `next`.
    private mutating func wait(
        for next: WallTime?, _ request: TaskRequest, of task: Int, at now: Instant,
        _ actions: inout [Action]
    ) {
        pending.drop(request.identifier)
        guard let next else {
            actions.append(.remove(request))
            return
        }
        _ = accept(request.successor(), task, occurrence: next, at: now, &actions)
    }

    /// Whether a connection submits `identifier`: not while it runs, or while a request of it waits for more than its
    /// date.
    package func takesConnection(_ identifier: String, at now: WallTime) -> Bool {
        guard !isShuttingDown, running.index(of: identifier) == nil else { return false }
        guard let request = pending.request(identifier) else { return true }
        return request.since > now && request.failures == 0
    }

    /// Submits, at once, the tasks that have this trigger.
    mutating func submitTriggered(
        by trigger: TaskDeclaration.Triggers, at now: Instant, _ actions: inout [Action]
    ) {
        guard setup.hasTriggers, !isShuttingDown else { return }
        for task in tasks.indices where tasks[task].declaration.triggers.contains(trigger) {
            let identifier = tasks[task].declaration.identifier
            // A request that waits for more than its date continues to wait.
            if let request = pending.request(identifier), request.since <= now.wall { continue }
            submit(Submission(identifier: identifier, delay: .zero), ticket: nil, at: now, &actions)
        }
    }
}
