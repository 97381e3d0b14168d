// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunStorage

extension PushQueue {
    /// A change of a message.
    package enum Step {
        case held(PushMessage)
        case lost(HeldPushes.Lost)
        case delivered(PushMessage)

        var isHeld: Bool { if case .held = self { true } else { false } }

        /// The changes to store.
        package func changes(at now: Instant) -> [StoreChange] {
            switch self {
            case .held(let message): [.holdPush(message)]
            case .lost(let lost): lost.changes(at: now)
            case .delivered(let message): [.dropPush(id: message.id)]
            }
        }
    }

    /// The steps of messages for `actions` of the engine.
    package mutating func steps(
        for actions: [Action], of engine: @autoclosure () -> Engine
    ) -> [Step] {
        var steps: [Step] = []
        for action in actions {
            switch action {
            case .reply(let ticket, let reply):
                let taken = answered(
                    ticket, reply, limit: engine().configuration.policy.pushHeld)
                guard let taken else { continue }
                steps.append(.held(taken.message))
                steps += taken.lost.map(Step.lost)
            case .record(.appForceQuit):
                steps += discardAll(.forceQuit).map(Step.lost)
            case .record(.cancelled(let request)):
                steps += discardWaiting(request.identifier, .cancelled).map(Step.lost)
            case .record(.gaveUp(let request, let outcome)):
                let declaration = engine().declaration(for: request.identifier)
                guard outcome == .interrupted || declaration?.retry != nil else { continue }
                // The same messages would fail, or kill the host, again.
                steps += discardGivenUp(request.identifier).map(Step.lost)
            case .record(.ended(let identifier, let attempt, .completed)):
                steps += deliver(to: attempt, of: identifier).map(Step.delivered)
            default: break
            }
        }
        return steps
    }

    /// Drops expired messages. The events cancel requests without remaining messages.
    package mutating func expire(
        at now: WallTime, of engine: Engine
    ) -> (steps: [Step], events: [Event]) {
        let (lost, ended) = expire(at: now)
        // A request that a person or a program has submitted since continues.
        let cancelled = ended.filter { engine.pendingRequest($0.identifier)?.id == $0.request }
        return (
            lost.map(Step.lost),
            cancelled.map { .cancel(identifier: $0.identifier, ticket: nil) }
        )
    }

    /// The receipt for the sender of a message that created `request`.
    package func receipt(of message: PushMessage, _ request: TaskRequest) -> PushReceipt {
        PushReceipt(
            id: message.id, identifier: message.identifier, request: request,
            held: held[message.identifier]?.messages.count ?? 0)
    }
}

extension PushOffer {
    /// Rejects a message that is not a silent push to a task of `engine`.
    package func check(by engine: Engine, at now: WallTime) throws(PushRefusal) {
        try PushRule.check(
            self, declaration: engine.declaration(for: identifier),
            refreshSwitch: engine.appFacts.refreshSwitch, now: now)
    }
}

extension HeldPushes.Lost {
    var sentence: String { "Dropped a push of \(message.identifier): \(why)" }

    /// The changes to store.
    func changes(at now: Instant) -> [StoreChange] {
        [
            .dropPush(id: message.id),
            .event(
                EventLine(
                    at: now, kind: "push-\(loss.rawValue)", identifier: message.identifier,
                    text: sentence)),
        ]
    }

    private var why: String {
        switch loss {
        case .collapsed: "a newer one took its place"
        case .expired: "its expiration has come"
        case .pushedOut: "more are held than `push_held` allows"
        case .forceQuit: "the app was force-quit"
        case .cancelled: "its request was cancelled"
        case .gaveUp: "no further attempt is granted"
        }
    }
}
