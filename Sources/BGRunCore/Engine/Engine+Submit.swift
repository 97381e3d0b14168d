// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// Apple: apps submit their requests at launch. A pending request is kept, so that a restart
    /// does not postpone it; a periodic task keeps its rhythm across restarts.
    mutating func submitLaunchTasks(at now: Instant) -> [Action] {
        var actions: [Action] = []
        for declaration in configuration.declarations
        where declaration.submission == .launch && !declaration.identifier.hasSuffix(".*") {
            // One that died with its host may have been launched again already.
            guard pending.request(declaration.identifier) == nil,
                runningAttempt(declaration.identifier) == nil
            else { continue }
            var delay = declaration.earliest
            if let last = lastLaunches[declaration.identifier],
                let next = declaration.nextPeriod(afterLaunch: last, now: now.wall)
            {
                delay = max(delay, now.wall.interval(until: next))
            }
            actions += submit(
                Submission(identifier: declaration.identifier, delay: delay), ticket: nil, at: now)
        }
        return actions
    }

    mutating func submit(_ submission: Submission, ticket: Ticket?, at now: Instant) -> [Action] {
        do {
            let declaration = try admit(submission.identifier)
            let (request, replaced, actions) = accept(submission, declaration, at: now)
            return actions + reply(ticket, .accepted(request, replaced: replaced))
        } catch {
            return reply(ticket, .refused(error))
        }
    }

    /// Apple: cancels pending requests; running attempts go on.
    mutating func cancel(_ identifiers: [String], ticket: Ticket?) -> [Action] {
        let removed = identifiers.compactMap { pending.remove($0) }
        return removed.flatMap { [.remove($0), .record(.cancelled($0))] }
            + reply(ticket, .cancelled(removed.count))
    }

    func reply(_ ticket: Ticket?, _ reply: Reply) -> [Action] {
        ticket.map { [.reply($0, reply)] } ?? []
    }

    func admit(_ identifier: String) throws(Refusal) -> TaskDeclaration {
        guard !isShuttingDown else { throw .unavailable }
        return try admission.admit(identifier) { kind in
            AdmissionRule.Facts(
                isPending: pending.request(identifier) != nil,
                runningAttempt: runningAttempt(identifier)?.id,
                pendingOfKind: pending.count(of: kind))
        }
    }

    /// Apple: a new request replaces the pending one of the same identifier.
    mutating func accept(
        _ submission: Submission, _ declaration: TaskDeclaration, at now: Instant
    ) -> (TaskRequest, replaced: Int64?, [Action]) {
        let replaced = pending.remove(submission.identifier)
        let request = TaskRequest(id: nextRequestID, submission, declaration, now: now.wall)
        nextRequestID += 1
        pending.insert(request, requires: declaration.requires)
        return (request, replaced?.id, [.store(request), .record(.scheduling(request))])
    }
}
