// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The replies that the engine owes, and the forecasts that the host does.
struct Tickets {
    var forecasts = Forecasts()
    private var replies: [Ticket: (Reply) -> Void] = [:]
    private var next: Ticket = 1
    /// Those whose answer is given after the sync at the end of the round, not one of its own.
    private var late: Set<Ticket> = []

    mutating func add(_ reply: @escaping (Reply) -> Void, isLate: Bool) -> Ticket {
        let ticket = next
        next += 1
        if isLate { late.insert(ticket) }
        replies[ticket] = reply
        return ticket
    }

    /// Whether it is late; asked once.
    mutating func isLate(_ ticket: Ticket) -> Bool { late.remove(ticket) != nil }

    mutating func take(_ ticket: Ticket) -> ((Reply) -> Void)? {
        replies.removeValue(forKey: ticket)
    }

    mutating func takeAll() -> [(Reply) -> Void] {
        defer { (replies, late) = ([:], []) }
        return Array(replies.values)
    }
}

extension Host {
    /// Feeds the engine an event that is answered: `event` is made with the ticket it is given, and
    /// `reply` is called once, when the answer is durable.
    /// - Parameter isLate: Whether the caller waits for the sync at the end of the round: then the
    ///   commit needs none of its own.
    package func ask(
        _ event: (Ticket) -> Event, isLate: Bool = false, _ reply: @escaping (Reply) -> Void
    ) {
        send(event(tickets.add(reply, isLate: isLate)))
    }
}
