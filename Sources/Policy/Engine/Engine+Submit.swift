// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Apple: apps submit their requests at launch. A pending or resumed request is kept, so that a restart neither
    /// postpones nor repeats it; a periodic task keeps its rhythm.
    ///
    /// - Parameter added: Only these declarations; nil: all of them.
    mutating func submitLaunchTasks(
        _ added: [String]? = nil, at now: Instant, _ actions: inout [Action]
    ) {
        guard !isShuttingDown, !setup.isOffline else { return }
        for task in tasks.indices {
            let declaration = tasks[task].declaration
            guard added?.contains(declaration.identifier) ?? true,
                declaration.submission == .launch, !declaration.identifier.hasSuffix(".*"),
                !pending.isPending(declaration.identifier),
                running.index(of: declaration.identifier) == nil
            else { continue }
            if let calendar = declaration.schedule?.calendar {
                submitNextOccurrence(of: task, calendar, at: now, &actions)
                continue
            }
            var delay = declaration.earliest
            var due: WallTime?
            if let last = tasks[task].lastLaunch,
                let next = declaration.nextPeriod(
                    afterLaunch: last, now: now.wall, limit: configuration.policy.catchUpLimit)
            {
                let wait = now.wall.interval(until: next)
                if wait < .zero, delay == .zero { due = next }
                delay = max(delay, wait)
            }
            let submission = Submission(identifier: declaration.identifier, delay: delay)
            submit(submission, due: due, ticket: nil, at: now, &actions)
        }
    }

    mutating func submit(
        _ submission: Submission, due: WallTime? = nil, ticket: Ticket?, at now: Instant,
        _ actions: inout [Action]
    ) {
        do {
            let task = try admit(submission.identifier)
            if tasks[task].declaration.kind == .continued {
                try refuseUnlessSpaced(submission, task, at: now)
                try refuseUnlessImmediate(submission, task, at: now)
            }
            let (request, replaced) = accept(submission, task, due: due, at: now, &actions)
            guard let ticket else { return }
            actions.append(.reply(ticket, .accepted(request, replaced: replaced)))
        } catch {
            guard let ticket else {
                actions.append(.record(.refused(submission.identifier, error)))
                return
            }
            actions.append(.reply(ticket, .refused(error)))
        }
    }

    /// Apple: cancels pending requests; running attempts continue.
    mutating func cancel(_ identifiers: [String], ticket: Ticket?, _ actions: inout [Action]) {
        var count = 0
        for identifier in identifiers {
            guard let request = pending.remove(identifier) else { continue }
            actions.append(.remove(request))
            actions.append(.record(.cancelled(request)))
            count += 1
        }
        actions += reply(ticket, .cancelled(count))
    }

    /// Makes the request stand for `occurrence`, delayed by the task's jitter, or earlier by up to its `flex`.
    private mutating func stand(
        _ request: inout TaskRequest, for occurrence: WallTime, _ declaration: TaskDeclaration
    ) {
        var flex = Interval.zero
        if case .every(_, let length) = declaration.schedule { flex = length }
        request.occurrence = occurrence
        request.earliest = occurrence.advanced(by: jittered(flex.negated, declaration))
    }

    func reply(_ ticket: Ticket?, _ reply: Reply) -> [Action] {
        ticket.map { [.reply($0, reply)] } ?? []
    }

    /// The task that takes requests of `identifier`, if it accepts one more.
    @inline(__always)
    func admit(_ identifier: String) throws(Refusal) -> Int {
        // A submission that waited for the store is stored, and the next host runs it.
        guard !isShuttingDown || isLate else { throw .unavailable }
        let task = try setup.admission.permit(identifier)
        try setup.admission.checkLimits(
            for: identifier, task,
            runningAttempt: running.index(of: identifier).map { running[$0].attempt.id },
            pendingOfKind: pending.count(of: tasks[task].declaration.kind),
            isPending: pending.isPending(identifier))
        return task
    }

    /// Apple: with strategy `fail` a continued request that cannot start at once is refused.
    private mutating func refuseUnlessImmediate(
        _ submission: Submission, _ task: Int, at now: Instant
    ) throws(Refusal) {
        guard tasks[task].declaration.isOnlyImmediate || submission.isOnlyImmediate else { return }
        let request = TaskRequest(
            id: nextRequestID, submission, tasks[task].declaration, now: now.wall)
        let identifier = submission.identifier
        let waiting = Waiting(
            id: nextRequestID, since: now.wall, requestClass: requestClass(of: task, for: request))
        let reason = blocker(identifier, task, waiting, at: now.wall)
        guard reason != .eligible else { return }
        throw .notImmediately(identifier: identifier, reason: reason.text)
    }

    /// A handler that resubmits itself without a date would be launched back to back, so its request keeps a minimum
    /// distance. Where processing is spaced, the app's other requests for the task do, too, also under other names of a
    /// wildcard.
    private func spacedDate(of submission: Submission, _ task: Int, at now: WallTime) -> WallTime? {
        guard submission.isFromApp else { return nil }
        let declaration = tasks[task].declaration
        let attempt = runningAttempt(submission.identifier)?.launched.wall
        let isKnown = attempt != nil || submission.identifier == declaration.identifier
        let policy = configuration.policy
        var spacing = Interval.zero
        if submission.isFromOwnTask, isKnown {
            spacing = policy.ownSpacing(of: declaration.kind)
        } else if submission.isFromOwnTask && declaration.kind.isSpacedFromItself
            || declaration.kind == .processing && isKnown
        {
            spacing =
                policy.processingSpacing > .zero ? policy.ownSpacing(of: declaration.kind) : .zero
        }
        // All launches of its task already keep this distance.
        guard spacing > tasks[task].regularSpacing else { return nil }
        guard let launched = attempt ?? tasks[task].spacedFrom else { return nil }
        // The clock may have been ahead at that launch.
        return min(launched, now).advanced(by: spacing)
    }

    /// Adds a request from the store to the pending ones; a spaced one keeps its distance.
    mutating func restore(_ request: TaskRequest, task: Int) {
        let spaced = tasks[task].spacedDate(of: request, configuration.policy)
        enqueue(request, task: task, spaced: spaced)
    }

    /// A continued request cannot wait for a date: one that its own handler submits too soon is refused.
    private func refuseUnlessSpaced(
        _ submission: Submission, _ task: Int, at now: Instant
    ) throws(Refusal) {
        guard let date = spacedDate(of: submission, task, at: now.wall), date > now.wall
        else { return }
        let reason = PendingReason.factor(.rateLimit, until: date).text
        throw .notImmediately(identifier: submission.identifier, reason: reason)
    }

    /// Apple: a new request replaces the pending one of the same identifier, and a continued one has no earliest date.
    mutating func accept(
        _ submission: Submission, _ task: Int, due: WallTime? = nil, occurrence: WallTime? = nil,
        at now: Instant, _ actions: inout [Action]
    ) -> (TaskRequest, replaced: Int64?) {
        let (slot, replaced) = pending.claim(submission.identifier)
        var request = TaskRequest(
            id: nextRequestID, submission, tasks[task].declaration, now: now.wall)
        if let due { request.earliest = due }
        if let occurrence { stand(&request, for: occurrence, tasks[task].declaration) }
        request.follow(replaced, isFromApp: submission.isFromApp, now: now.wall)
        nextRequestID += 1
        let spaced = spacedDate(of: submission, task, at: now.wall)
        // Assigned only when true: an assignment copies the request's storage.
        if spaced != nil { request.isSpaced = true }
        enqueue(request, task: task, slot: slot, spaced: spaced)
        actions.append(.store(request))
        actions.append(.record(.scheduling(request)))
        return (request, replaced?.id)
    }
}

extension Engine {
    /// The problem with the annotations of a submission, and the remedy; nil: none.
    package func problem(with submission: Submission) -> String? {
        guard !submission.annotations.isEmpty else { return nil }
        return declaration(for: submission.identifier)?.problem(with: submission.annotations)
            ?? submission.annotations.problem
    }
}
