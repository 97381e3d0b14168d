// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Dispatch
import Glibc
import Synchronization

/// Work that blocks on the disk or takes long, outside the loop's thread: syncing, digests, renaming.
///
/// The work of one transfer is done in order; several transfers run in parallel. Belongs to the loop's thread, which
/// receives the results.
final class DiskWork {
    private let loop: EventLoop
    private let ends: (read: Int32, write: Int32)
    private let queues = (0..<4).map { DispatchQueue(label: "disk \($0)") }
    private let done = Done()
    private var handlers: [Int: () -> Void] = [:]
    private var lastTicket = 0

    private final class Done: Sendable {
        let tickets = Mutex<[Int]>([])
    }

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    init(_ loop: EventLoop) throws(SystemFailure) {
        self.loop = loop
        ends = try ProgramStart.pipe()
        for end in [ends.read, ends.write] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        try loop.watch(ends.read) { [unowned self] _ in collect() }
    }

    /// Runs `work` on another thread, after earlier work for the same transfer, and calls `then` on the loop's thread.
    func run<Value: Sendable>(
        for id: Int64, _ work: @escaping @Sendable () -> Value,
        then: @escaping (Value) -> Void
    ) {
        lastTicket += 1
        let ticket = lastTicket
        let outcome = Outcome<Value>()
        handlers[ticket] = { if let value = outcome.value.withLock({ $0 }) { then(value) } }
        let (done, writeEnd) = (done, ends.write)
        queues[Int(id.magnitude % 4)].async {
            let value = work()
            outcome.value.withLock { $0 = value }
            done.tickets.withLock { $0.append(ticket) }
            var byte: UInt8 = 0
            // A full pipe wakes the loop, too.
            _ = write(writeEnd, &byte, 1)
        }
    }

    private func collect() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(ends.read, &bytes, bytes.count) > 0 {}
        let tickets = done.tickets.withLock { tickets in
            defer { tickets = [] }
            return tickets
        }
        for ticket in tickets {
            guard let handler = handlers.removeValue(forKey: ticket) else {
                preconditionFailure("the work of ticket \(ticket) was done twice")
            }
            handler()
        }
    }
}
