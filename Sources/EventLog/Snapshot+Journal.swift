// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

extension Engine.Snapshot: WireValue {
    package func write(to writer: inout WireWriter) {
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

    package init(from reader: inout WireReader) throws(WireError) {
        try self.init(from: &reader, hasShortage: true)
    }

    /// - Parameter hasShortage: False up to format 5.
    init(from reader: inout WireReader, hasShortage: Bool) throws(WireError) {
        self.init(
            device: try reader.read(), facts: AppFacts(entries: try reader.read()),
            nextRequestID: try reader.read(), nextAttemptID: try reader.read(),
            isShuttingDown: try reader.read(), suspendingSince: try reader.read(),
            reloadingSince: try reader.read(),
            share: try (reader.read() as Bool?).map { Share(wantsMore: $0) },
            shortage: hasShortage ? try reader.read(Shortage?.self) : nil,
            expiry: try reader.read(), wake: try reader.read(),
            gate: try reader.read(), tasks: try reader.read(), running: try reader.read(),
            pending: try reader.read())
    }
}

extension Shortage: WireRecord {
    package static let layout = Layout({
        Shortage(resource: $0, limit: max(0, $1), retryAt: $2, wait: $3, since: $4)
    }) { ($0.resource, $0.limit, $0.retryAt, $0.wait, $0.since) }
}

extension Engine.Snapshot.GateState: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.conditions, $0.factors, $0.powerWait, $0.lastID, $0.notBefore, $0.seen, $0.flips,
            $0.contendedSince, $0.conditionsSince, $0.factorsSince
        )
    }
}

extension Engine.Snapshot.Launches: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.last, $0.spacedFrom, $0.spacedBefore, $0.hasYielded)
    }
}

extension RunningAttempt: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.attempt, $0.task, $0.grace, $0.isForced, $0.spendingSince, $0.hasFollower,
            $0.progress, $0.assertions, $0.hasLeakedAssertion, $0.rung
        )
    }
}

extension ProgressWatch: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.completed, $0.total, $0.movedAt, $0.isWarned, $0.warning, $0.limit)
    }
}

extension RunningAttempt.Rung: WireValue {
    package func write(to writer: inout WireWriter) {
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

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .asserting(until: try reader.read())
        case 1: self = .reported(terminateAt: try reader.read())
        case 2: self = .granted(until: try reader.read(), try reader.read())
        case 3: self = .told(try reader.read(), terminateAt: try reader.read())
        case 4: self = .terminated(killAt: try reader.read())
        case 5: self = .killed
        case 6: self = .waiting
        case let tag: throw unknownTag(tag, Self.self)
        }
    }
}
