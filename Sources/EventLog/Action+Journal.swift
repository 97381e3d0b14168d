// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Action: WireWritable {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .store(let request): writer.put(UInt8(0), request)
        case .remove(let request): writer.put(UInt8(1), request)
        case .remember(let facts): writer.put(UInt8(2), facts)
        case .launch(let attempt): writer.put(UInt8(3), attempt)
        case .expire(let attempt, let reason, let grace, let deadline):
            writer.put(UInt8(4), attempt, reason, grace, deadline)
        case .terminate(let attempt): writer.put(UInt8(5), attempt)
        case .kill(let attempt): writer.put(UInt8(6), attempt)
        case .reply(let ticket, let reply): writer.put(UInt8(7), ticket, reply)
        case .wake(let elapsed): writer.put(UInt8(8), elapsed)
        case .record(let record): writer.put(UInt8(9), record)
        case .withdraw(let attempt): writer.put(UInt8(10), attempt)
        }
    }
}

extension Reply: WireWritable {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .accepted(let request, let replaced): writer.put(UInt8(0), request, replaced)
        case .refused(let refusal): writer.put(UInt8(1), refusal)
        case .cancelled(let count): writer.put(UInt8(2), count)
        case .launched(let attempt): writer.put(UInt8(3), attempt)
        case .expiring(let attempt): writer.put(UInt8(4), attempt)
        case .notRunning: writer.put(UInt8(5))
        case .noted: writer.put(UInt8(6))
        }
    }
}

extension Refusal: WireWritable {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .notPermitted(let identifier, let nearest): writer.put(UInt8(0), identifier, nearest)
        case .modeMissing(let identifier, let kind, let mode):
            writer.put(UInt8(1), identifier, kind, mode)
        case .noHandler(let identifier, let nearest): writer.put(UInt8(2), identifier, nearest)
        case .tooManyPending(let kind, let limit): writer.put(UInt8(3), kind, limit)
        case .alreadyRunning(let identifier, let attempt): writer.put(UInt8(4), identifier, attempt)
        case .notImmediately(let identifier, let reason): writer.put(UInt8(5), identifier, reason)
        case .unavailable: writer.put(UInt8(6))
        case .postponed(let identifier, let reason): writer.put(UInt8(7), identifier, reason)
        case .busy: writer.put(UInt8(8))
        }
    }
}
