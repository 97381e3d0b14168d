// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Engine.Snapshot: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(device, facts.entries, nextRequestID, nextAttemptID, isShuttingDown)
        writer.put(suspendingSince, reloadingSince, share.map { $0.wantsMore }, shortage, expiry)
        writer.put(wake, gate, tasks, running, pending)
    }

    /// Writes the snapshot of `engine` without building it in memory: there may be many requests.
    static func write(of engine: Engine, to writer: inout WireWriter) {
        engine.snapshotWithoutPending.write(to: &writer)
        // Replaces the number of pending requests that was just written, which is 0.
        writer.removeAll(after: writer.bytes.count - MemoryLayout<UInt32>.size)
        writer.put(UInt32(clamping: engine.pendingCount))
        engine.visitPending { $0.write(to: &writer) }
    }

    init(from reader: inout WireReader) throws(WireError) {
        try self.init(from: &reader, hasShortage: true)
    }

    /// - Parameter hasShortage: False up to format 5.
    init(from reader: inout WireReader, hasShortage: Bool) throws(WireError) {
        self.init(
            device: try reader.value(), facts: AppFacts(entries: try reader.array()),
            nextRequestID: try reader.read(), nextAttemptID: try reader.read(),
            isShuttingDown: try reader.value(), suspendingSince: try reader.optional(),
            reloadingSince: try reader.optional(),
            share: try (reader.optional() as Bool?).map { Share(wantsMore: $0) },
            shortage: hasShortage ? try reader.optional() : nil,
            expiry: try reader.optional(), wake: try reader.optional(),
            gate: try reader.value(), tasks: try reader.array(), running: try reader.array(),
            pending: try reader.array())
    }
}

extension Shortage: Journaled {
    func write(to writer: inout WireWriter) { writer.put(resource, limit, retryAt, wait, since) }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            resource: try reader.value(), limit: max(0, try reader.value()),
            retryAt: try reader.read(), wait: try reader.value(), since: try reader.value())
    }
}

extension Engine.Snapshot.GateState: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(conditions, factors, powerWait, lastID, notBefore)
        writer.put(seen, flips, contendedSince, conditionsSince, factorsSince)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            conditions: try reader.value(), factors: try reader.read(),
            powerWait: try reader.value(), lastID: try reader.read(),
            notBefore: try reader.array(), seen: try reader.optional(),
            flips: try reader.optional(), contendedSince: try reader.optional(),
            conditionsSince: try reader.readArray { reader throws(WireError) in
                try reader.optional(WallTime.self)
            },
            factorsSince: try reader.readArray { reader throws(WireError) in
                try reader.optional(WallTime.self)
            })
    }
}

extension Engine.Snapshot.Launches: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(last, spacedFrom, spacedBefore, hasYielded)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            last: try reader.optional(), spacedFrom: try reader.optional(),
            spacedBefore: try reader.optional(), hasYielded: try reader.value())
    }
}

extension Engine.Snapshot.Running: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(attempt, task, grace, isForced, spendingSince)
        writer.put(hasFollower, progress, assertions, hasLeakedAssertion, rung)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            attempt: try reader.value(), task: try reader.value(), grace: try reader.value(),
            isForced: try reader.value(), spendingSince: try reader.optional(),
            hasFollower: try reader.value(),
            progress: try reader.optional(), assertions: try reader.array(),
            hasLeakedAssertion: try reader.value(), rung: try reader.value())
    }
}

extension ProgressWatch: Journaled {
    func write(to writer: inout WireWriter) {
        writer.put(completed, total, movedAt, isWarned, warning)
        writer.put(limit)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.init(
            completed: try reader.read(), total: try reader.read(), movedAt: try reader.read(),
            isWarned: try reader.value(), warning: try reader.value(), limit: try reader.value())
    }
}

extension RunningAttempt.Rung: Journaled {
    func write(to writer: inout WireWriter) {
        switch self {
        case .asserting(let until): writer.put(UInt8(0), until)
        case .reported(let terminateAt): writer.put(UInt8(1), terminateAt)
        case .granted(let until, let reason): writer.put(UInt8(2), until, reason)
        case .told(let reason, let terminateAt): writer.put(UInt8(3), reason, terminateAt)
        case .terminated(let killAt): writer.put(UInt8(4), killAt)
        case .killed: writer.put(UInt8(5))
        case .waiting: writer.put(UInt8(6))
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .asserting(until: try reader.read())
        case 1: self = .reported(terminateAt: try reader.read())
        case 2: self = .granted(until: try reader.read(), try reader.value())
        case 3: self = .told(try reader.value(), terminateAt: try reader.read())
        case 4: self = .terminated(killAt: try reader.read())
        case 5: self = .killed
        case 6: self = .waiting
        case let tag: throw unknownTag(tag, Self.self)
        }
    }
}
