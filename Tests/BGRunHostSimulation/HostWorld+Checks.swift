// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem

/// The invariants: checked after each commit, and whenever the host waits.
extension HostWorld {
    /// The time that an attempt may take after its deadline and its grace: for an assertion, the wait for
    /// SIGKILL, and the simulated kernel.
    private static let allowance: Int64 =
        Policy.apple.assertionLimit.nanoseconds + Policy.apple.terminationWait.nanoseconds
        + Behaviour.longestDeath + 500_000_000

    func check(_ life: HostLife) {
        if let fault = ledger.fault(in: disk) { violate(.acknowledged, fault) }
        checkProcesses()
        guard let host = life.host, host.breakdown == nil else { return }
        guard host.waitsForStoreSince == nil else {
            life.punctualSince = time.elapsed
            return
        }
        if !life.questions.isEmpty {
            violate(.answers, "questions \(life.questions.sorted()) are not answered")
        }
        checkAgreement(host)
        checkDeadlines(host, life)
    }

    private func checkProcesses() {
        var tasks: Set<String> = []
        for process in machine.processes.values where process.isEntered {
            if disk.current.running[process.attempt] == nil {
                violate(
                    .processes,
                    "process \(process.identity.pid) of attempt \(process.attempt) lives, and the "
                        + "attempt is over")
            }
            if !tasks.insert(process.task).inserted {
                violate(.processes, "\(process.task) runs twice")
            }
        }
        for attempt in machine.strays.keys where disk.current.running[attempt] == nil {
            violate(.processes, "what attempt \(attempt) has started lives, and it is over")
        }
    }

    private func checkAgreement(_ host: BGRunHost.Host) {
        let stored = disk.current.requests.filter { host.engine.declaration(for: $0.key) != nil }
        let known = host.engine.pendingRequests
        for request in known {
            guard let other = stored[request.identifier], other.id == request.id,
                other.failures == request.failures, other.earliest == request.earliest
            else {
                return violate(
                    .agreement,
                    "the host has \(request) as pending; stored is "
                        + (stored[request.identifier].map(\.description) ?? "nothing"))
            }
        }
        if known.count != stored.count {
            let ids = Set(known.map(\.id))
            let rest = stored.values.filter { !ids.contains($0.id) }.map(\.description).sorted()
            violate(.agreement, "stored as pending and not known to the host: \(rest)")
        }
        let running = Set(host.running.map(\.attempt.id))
        if running != Set(disk.current.running.keys) {
            violate(
                .agreement,
                "the host runs \(running.sorted()); stored is \(disk.current.running.keys.sorted())"
            )
        }
    }

    private func checkDeadlines(_ host: BGRunHost.Host, _ life: HostLife) {
        for view in host.running {
            let attempt = view.attempt
            let policy = host.manifest.policy
            let grace = min(
                host.engine.declaration(for: attempt.request.identifier)?.grace ?? policy.grace,
                policy.graceMaximum)
            let since = max(attempt.deadlineElapsed, life.punctualSince)
            guard time.elapsed > since + grace.nanoseconds + Self.allowance else { continue }
            violate(
                .deadline,
                "attempt \(attempt.id) of \(attempt.request.identifier) still runs "
                    + "\((time.elapsed - attempt.deadlineElapsed) / 1_000_000) ms after its deadline"
            )
        }
    }

    // MARK: commits

    func committed(_ changes: [StoreChange], _ durability: Durability, by life: HostLife) {
        note(
            30, Int64(changes.count), durability == .full ? 1 : 0,
            "commit (\(durability)): \(changes.filter { if case .event = $0 { false } else { true } })"
        )
        for change in changes {
            switch change {
            case .endAttempt(let attempt, let outcome, _, _, _, _):
                checkEnd(of: attempt, outcome, life)
            case .removeRequest(let identifier):
                checkRemoval(of: identifier, changes, life)
            default: break
            }
        }
        checkProcesses()
    }

    /// Checks the consequences of an outcome from the manifest, independently of the engine.
    private func checkEnd(of attempt: Int64, _ outcome: Outcome, _ life: HostLife) {
        guard let row = disk.current.history[attempt],
            let task = declaration(of: row.identifier, life)
        else { return }
        let policy = (life.host?.manifest ?? manifest).policy
        let isLeft = task.kind == .continued && task.strategy == .fail
        let mustContinue: Bool
        switch outcome {
        case .completed, .expired(.cancelled, _): mustContinue = false
        case .expired(let reason, _) where reason != .time && reason != .stalled:
            mustContinue = !isLeft
        case .interrupted:
            mustContinue = !isLeft && row.interruptions + 1 <= policy.interruptionLimit
        case .failed, .crashed, .limited, .exited, .refused, .expired:
            mustContinue =
                task.retry.map { $0.attempts.map { row.failures + 1 < $0 } ?? true } ?? false
        }
        guard mustContinue, disk.current.requests[row.identifier] == nil,
            !disk.current.running.values.contains(where: {
                $0.attempt.request.identifier == row.identifier
            })
        else { return }
        violate(
            .retry,
            "attempt \(attempt) of \(row.identifier) was \(outcome) after \(row.failures) failures, and "
                + "no request of it is pending")
    }

    private func declaration(of identifier: String, _ life: HostLife) -> TaskDeclaration? {
        if let host = life.host { return host.engine.declaration(for: identifier) }
        return manifest.definitions[identifier]?.declaration
    }

    /// Only the manifest or a client may cause the removal of a request.
    private func checkRemoval(
        of identifier: String, _ changes: [StoreChange], _ life: HostLife
    ) {
        if life.cancelled.contains(nil) || life.cancelled.contains(identifier) { return }
        let task = declaration(of: identifier, life)
        if task?.overlap == .skip || task?.schedule?.calendar != nil || task?.kind == .push {
            return
        }
        violate(.acknowledged, "a request of \(identifier) was removed, and nothing asked for it")
    }
}
