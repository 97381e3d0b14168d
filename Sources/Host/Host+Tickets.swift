// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The open replies of the engine and forecasts of the host.
struct Tickets {
    var forecasts = Forecasts()
    /// With the size of their events in bytes.
    private var open: [Ticket: (reply: (Reply) -> Void, size: Int)] = [:]
    private var next: Ticket = 1
    /// Tickets that are answered after the sync at the end of the round, without a sync of their
    /// own.
    private var late: Set<Ticket> = []
    /// The bytes of the events of open tickets.
    private(set) var bytes = 0

    var count: Int { open.count }

    /// Whether no further ticket is accepted.
    var isFull: Bool { count >= HostLimits.tickets || bytes >= HostLimits.ticketBytes }

    mutating func add(_ reply: @escaping (Reply) -> Void, isLate: Bool) -> Ticket {
        precondition(!isFull, "a request is refused at the limit of tickets")
        let ticket = next
        next += 1
        if isLate { late.insert(ticket) }
        precondition(
            open.updateValue((reply, 0), forKey: ticket) == nil, "two tickets \(ticket)")
        return ticket
    }

    /// The ticket belongs to an event of `size` bytes.
    mutating func note(_ size: Int, of ticket: Ticket) {
        precondition(size >= 0 && open[ticket]?.size == 0, "ticket \(ticket) is put into one event")
        open[ticket]?.size = size
        bytes += size
    }

    /// Whether it is late; may be called once.
    mutating func isLate(_ ticket: Ticket) -> Bool {
        precondition(ticket < next, "ticket \(ticket) was not given out")
        return late.remove(ticket) != nil
    }

    mutating func take(_ ticket: Ticket) -> ((Reply) -> Void)? {
        precondition(ticket < next, "ticket \(ticket) was not given out")
        guard let taken = open.removeValue(forKey: ticket) else { return nil }
        precondition(taken.size <= bytes, "ticket \(ticket) has \(taken.size) of \(bytes) bytes")
        bytes -= taken.size  // fits: checked above
        return taken.reply
    }

    mutating func takeAll() -> [(Reply) -> Void] {
        defer { (open, late, bytes) = ([:], [], 0) }
        return open.values.map(\.reply)
    }
}

extension Host {
    /// Passes to the engine an event with a reply: `event` creates it for a ticket, and `reply` is
    /// called once, when the answer is durable, or at once if too many wait.
    /// - Parameter isLate: Whether the caller waits for the sync at the end of the round: then the
    ///   commit does not need its own.
    package func ask(
        _ event: (Ticket) -> Event, isLate: Bool = false, _ reply: @escaping (Reply) -> Void
    ) {
        guard !tickets.isFull else { return reply(.refused(.busy)) }
        let ticket = tickets.add(reply, isLate: isLate)
        let event = event(ticket)
        tickets.note(event.size, of: ticket)
        send(event)
    }
}
