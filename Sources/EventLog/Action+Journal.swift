// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Action: Journaled {
    func write(to writer: inout WireWriter) {
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

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .store(try reader.value())
        case 1: self = .remove(try reader.value())
        case 2: self = .remember(try reader.array())
        case 3: self = .launch(try reader.value())
        case 4:
            self = .expire(
                attempt: try reader.read(), try reader.value(), grace: try reader.value(),
                deadlineElapsed: try reader.read())
        case 5: self = .terminate(attempt: try reader.read())
        case 6: self = .kill(attempt: try reader.read())
        case 7: self = .reply(try reader.read(), try reader.value())
        case 8: self = .wake(elapsed: try reader.optional())
        case 9: self = .record(try reader.value())
        case 10: self = .withdraw(attempt: try reader.read())
        case let tag: throw unknownTag(tag, Action.self)
        }
    }
}

extension Reply: Journaled {
    func write(to writer: inout WireWriter) {
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

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .accepted(try reader.value(), replaced: try reader.optional())
        case 1: self = .refused(try reader.value())
        case 2: self = .cancelled(try reader.value())
        case 3: self = .launched(attempt: try reader.read())
        case 4: self = .expiring(attempt: try reader.read())
        case 5: self = .notRunning
        case 6: self = .noted
        case let tag: throw unknownTag(tag, Reply.self)
        }
    }
}

extension Refusal: Journaled {
    func write(to writer: inout WireWriter) {
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

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0:
            self = .notPermitted(identifier: try reader.value(), nearest: try reader.optional())
        case 1:
            self = .modeMissing(
                identifier: try reader.value(), kind: try reader.value(), mode: try reader.value())
        case 2: self = .noHandler(identifier: try reader.value(), nearest: try reader.optional())
        case 3: self = .tooManyPending(kind: try reader.value(), limit: try reader.value())
        case 4: self = .alreadyRunning(identifier: try reader.value(), attempt: try reader.read())
        case 5:
            self = .notImmediately(identifier: try reader.value(), reason: try reader.value())
        case 6: self = .unavailable
        case 7: self = .postponed(identifier: try reader.value(), reason: try reader.value())
        case 8: self = .busy
        case let tag: throw unknownTag(tag, Refusal.self)
        }
    }
}
