// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunStorage

/// The messages a host holds, and those that are on their way into its store.
package struct PushQueue {
    /// By identifier; none of them is empty.
    private(set) var held: [String: HeldPushes] = [:]
    /// The request the newest message of each of them has made.
    private var requests: [String: Int64] = [:]
    package private(set) var nextID: Int64
    /// No message expires before this; nil: no message expires. One that is gone may have been the one.
    private(set) var nextExpiry: WallTime?
    /// Messages that are submitted and not answered yet, by the ticket of their request.
    private var arriving: [Ticket: PushMessage] = [:]
    /// What running attempts were given, the oldest first.
    private var given: [Int64: [PushMessage]] = [:]
    /// What running attempts have said came of it.
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

    /// The request of that ticket was answered: what is to be held, and what is lost by it.
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

    /// What an attempt of `identifier` is given; it is known until `end`.
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

    /// The attempt has completed: what it has dealt with is not held any more.
    mutating func deliver(to attempt: Int64, of identifier: String) -> [PushMessage] {
        guard let messages = given.removeValue(forKey: attempt) else { return [] }
        return change(identifier) { $0.deliver(Set(messages.map(\.id))) }
    }

    /// The attempt is over: what it said came of it. What it was given and is not delivered is held as before.
    mutating func end(_ attempt: Int64) -> FetchResult? {
        given[attempt] = nil
        return results.removeValue(forKey: attempt)
    }

    // MARK: losing

    /// Drops those whose date has come; `ended` are the requests that nothing is left of.
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

    /// Drops what is held for a task, but for what the attempt that runs was given.
    mutating func discardWaiting(
        _ identifier: String, _ loss: HeldPushes.Loss
    ) -> [HeldPushes.Lost] {
        let inHand = Set(given.values.joined().map(\.id))
        return change(identifier) { $0.discard(loss) { !inHand.contains($0.id) } }
    }

    /// Drops what the attempt that gives up was given; what has come since is the next one's. After a
    /// restart that is unknown, and all messages are dropped.
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
