// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunStorage

/// The messages that a host holds, and those that are being stored.
package struct PushQueue {
    /// By identifier; never with an empty value.
    private(set) var held: [String: HeldPushes] = [:]
    /// The request that the newest message of each identifier created.
    private var requests: [String: Int64] = [:]
    package private(set) var nextID: Int64
    /// No message expires before this date; nil: none expires. May be too early after that message is gone.
    private(set) var nextExpiry: WallTime?
    /// Messages that are submitted and not answered yet, by the ticket of their request.
    private var arriving: [Ticket: PushMessage] = [:]
    /// The messages given to running attempts, the oldest first.
    private var given: [Int64: [PushMessage]] = [:]
    /// The results that running attempts reported.
    private var results: [Int64: FetchResult] = [:]

    package init(_ messages: [PushMessage], nextID: Int64) {
        self.nextID = nextID
        for (identifier, messages) in Dictionary(grouping: messages, by: \.identifier) {
            held[identifier] = HeldPushes(messages)
            requests[identifier] = messages.map(\.request).max()
        }
        nextExpiry = messages.compactMap(\.expires).min()
    }

    // MARK: taking in

    package mutating func submit(
        _ offer: PushOffer, ticket: Ticket, at now: WallTime
    ) -> PushMessage {
        let message = PushMessage(
            id: nextID, identifier: offer.identifier, payload: offer.payload,
            collapseID: offer.collapseID, priority: offer.priority, received: now,
            expires: offer.expires)
        precondition(message.id > 0, "push \(message.id) would be stored")
        nextID += 1
        precondition(
            arriving.updateValue(message, forKey: ticket) == nil, "two pushes have one ticket")
        return message
    }

    /// The request of that ticket was answered: returns the message to hold, and those that are lost.
    mutating func answered(
        _ ticket: Ticket, _ reply: Reply, limit: @autoclosure () -> Int
    ) -> (message: PushMessage, lost: [HeldPushes.Lost])? {
        guard var message = arriving.removeValue(forKey: ticket),
            case .accepted(let request, _) = reply
        else { return nil }
        precondition(request.id > 0, "push \(message.id) made request \(request.id)")
        message.request = request.id
        requests[message.identifier] = request.id
        if let date = message.expires { nextExpiry = min(nextExpiry ?? date, date) }
        return (
            message, held[message.identifier, default: HeldPushes()].hold(message, limit: limit())
        )
    }

    // MARK: handing out

    /// Gives an attempt of `identifier` its messages; they are remembered until `end`.
    mutating func give(to attempt: Attempt) -> [PushMessage] {
        guard let messages = held[attempt.request.identifier]?.messages else { return [] }
        precondition(
            given.updateValue(messages, forKey: attempt.id) == nil,
            "attempt \(attempt.id) is given pushes twice")
        return messages
    }

    /// The attempt was not begun: its pushes are held as before.
    mutating func takeBack(from attempt: Int64) { given[attempt] = nil }

    func given(to attempt: Int64) -> [PushMessage] { given[attempt] ?? [] }

    mutating func note(_ result: FetchResult, of attempt: Int64) {
        precondition(attempt > 0, "attempt \(attempt) is not of a task")
        results[attempt] = result
    }

    /// The attempt has completed: removes the messages that it processed.
    mutating func deliver(to attempt: Int64, of identifier: String) -> [PushMessage] {
        guard let messages = given.removeValue(forKey: attempt) else { return [] }
        return change(identifier) { $0.deliver(Set(messages.map(\.id))) }
    }

    /// The attempt is over: returns its reported result. Undelivered messages are held as before.
    mutating func end(_ attempt: Int64) -> FetchResult? {
        given[attempt] = nil
        return results.removeValue(forKey: attempt)
    }

    // MARK: losing

    /// Drops expired messages; `ended` are the requests without remaining messages.
    mutating func expire(
        at now: WallTime
    ) -> (lost: [HeldPushes.Lost], ended: [(identifier: String, request: Int64)]) {
        var lost: [HeldPushes.Lost] = []
        var ended: [(identifier: String, request: Int64)] = []
        for identifier in held.keys.sorted() {
            let request = requests[identifier]
            lost += change(identifier) { $0.expire(at: now) }
            if held[identifier] == nil, let request { ended.append((identifier, request)) }
        }
        nextExpiry = held.values.compactMap(\.nextExpiry).min()
        return (lost, ended)
    }

    /// Drops the held messages of a task, except those given to the running attempt.
    mutating func discardWaiting(
        _ identifier: String, _ loss: HeldPushes.Loss
    ) -> [HeldPushes.Lost] {
        let inHand = Set(given.values.joined().map(\.id))
        return change(identifier) { $0.discard(loss) { !inHand.contains($0.id) } }
    }

    /// Drops the messages given to the attempt that gives up; later ones belong to the next attempt. After a restart
    /// they are unknown, and all messages are dropped.
    mutating func discardGivenUp(_ identifier: String) -> [HeldPushes.Lost] {
        let ids = Set(given.values.joined().filter { $0.identifier == identifier }.map(\.id))
        return change(identifier) {
            $0.discard(.gaveUp) { ids.isEmpty || ids.contains($0.id) }
        }
    }

    mutating func discardAll(_ loss: HeldPushes.Loss) -> [HeldPushes.Lost] {
        held.keys.sorted().flatMap { identifier in change(identifier) { $0.discard(loss) } }
    }

    private mutating func change<Value>(
        _ identifier: String, _ body: (inout HeldPushes) -> [Value]
    ) -> [Value] {
        guard var pushes = held.removeValue(forKey: identifier) else { return [] }
        let value = body(&pushes)
        if pushes.messages.isEmpty { requests[identifier] = nil } else { held[identifier] = pushes }
        return value
    }
}
