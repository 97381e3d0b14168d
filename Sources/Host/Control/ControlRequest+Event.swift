// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

extension ControlRequest {
    /// The event for the engine, from a host or a command without one; nil if the command is not
    /// one event of the host, or is invalid.
    package var event: ((Ticket) -> Event)? {
        let identifier = identifier ?? ""
        guard let command = command.ofHost else { return nil }
        switch command {
        case .submit: return { .submit(submission, ticket: $0) }
        case .trigger: return { .trigger(submission, ticket: $0) }
        case .cancel: return { .cancel(identifier: identifier, ticket: $0) }
        case .cancelAll: return { .cancelAll(ticket: $0) }
        case .cancelAnnotated: return { .cancelAnnotated(annotation ?? "", ticket: $0) }
        case .open: return { .appOpened(ticket: $0) }
        case .quit: return { .appForceQuit(ticket: $0) }
        case .refresh:
            guard let state = refresh.flatMap(RefreshSwitch.init(name:)) else { return nil }
            return { .refreshSwitch(state, ticket: $0) }
        case .expire, .explain, .manifest, .pending, .running, .watch: return nil
        }
    }

    var submission: Submission {
        Submission(
            identifier: identifier ?? "", delay: delay,
            parameters: parameters, annotations: annotations ?? Annotations())
    }
}

extension ControlResponse {
    /// The engine's response to an event.
    package init(_ reply: Reply, of engine: Engine, at now: WallTime) {
        switch reply {
        case .accepted(let request, let replaced):
            self.init {
                $0.request = PendingRow(request, in: engine, now: now)
                $0.replaced = replaced
            }
        case .refused(let refusal): self.init(problem: refusal.code, refusal.message)
        case .cancelled(let count): self.init { $0.count = count }
        case .launched(let attempt), .expiring(let attempt): self.init { $0.attempt = attempt }
        case .noted: self.init()
        case .notRunning: self.init("no attempt of that identifier is running")
        }
    }
}
