// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Glibc

/// Records the input of an engine, so that every decision of a run can be repeated, in two files: the current
/// one, and the previous one, which the current one replaces when it is full. Each begins with a snapshot of the
/// engine and can be replayed alone. Nothing is synced: a power cut loses the tail, which the store does not
/// need.
///
/// Belongs to the thread of its host, and to one process at a time: the one that holds the app's lock.
package final class Journal {
    private let paths: JournalPaths
    private let app: String
    private let version: String
    /// The maximum size of a file in bytes.
    private let limit: Int
    private var descriptor: Int32 = -1
    private var size = 0
    /// The records of this round.
    private var records = WireWriter()
    private var scratch = WireWriter()
    /// Recording is paused until at most this many requests are pending.
    private var resumesBelow: Int?

    /// - Parameter bytes: The maximum size of both files together.
    package init(
        _ paths: JournalPaths, app: String, version: String, bytes: Int
    ) throws(JournalFailure) {
        self.paths = paths
        self.app = app
        self.version = version
        limit = bytes / 2
        try open()
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Records that a host begins with this engine.
    package func begin(_ engine: Engine, at now: Instant) throws(JournalFailure) {
        if size >= limit { try rotate() }
        begin(engine, at: now, .host)
    }

    /// Records that the host continues with this engine, which uses another manifest.
    package func change(to engine: Engine, at now: Instant) throws(JournalFailure) {
        if size + records.bytes.count >= limit {
            try flush()
            try rotate()
        }
        begin(engine, at: now, .manifest)
    }

    /// Records that the engine received `event` at `now`, drew `random`, and returned `actions`.
    package func note(
        _ event: Event, at now: Instant, random: UInt64?, _ actions: [Action], from engine: Engine
    ) throws(JournalFailure) {
        if let resumesBelow {
            guard engine.pendingCount <= resumesBelow else { return }
            return begin(engine, at: now, .continuation)
        }
        let digest = actions.digest(&scratch)
        records.put(
            JournalRecord.event(
                JournaledEvent(at: now, random: random, event: event, digest: digest)))
        guard size + records.bytes.count >= limit else { return }
        try flush()
        try rotate()
        begin(engine, at: now, .continuation)
    }

    package func end(at now: Instant) throws(JournalFailure) {
        if resumesBelow == nil { records.put(JournalRecord.end(now)) }
        try flush()
    }

    /// Writes the records since the last call, at once.
    package func flush() throws(JournalFailure) {
        guard !records.bytes.isEmpty else { return }
        try write(JournalFile.heading(of: records.bytes), records.bytes)
        // Frees the memory of a large snapshot, which is not needed again soon.
        if records.bytes.count > 1 << 20 { records = WireWriter() } else { records.removeAll() }
    }

    /// A snapshot may take half of a file, so snapshots are at most half of all written bytes.
    private func begin(
        _ engine: Engine, at now: Instant, _ origin: JournalRecord.Beginning.Origin
    ) {
        let snapshotLimit = limit / 2
        let isPaused = resumesBelow != nil
        resumesBelow = nil
        let start = records.bytes.count
        if engine.pendingCount < snapshotLimit / Self.smallestPending {
            // fits: requests in memory
            records.reserve(engine.pendingCount * Self.usualPending)
            JournalRecord.Beginning.write(
                version: version, app: app, at: now, origin, engine, to: &records)
            if records.bytes.count - start <= snapshotLimit { return }
            records.removeAll(after: start)
        }
        if !isPaused { records.put(JournalRecord.pause(pending: engine.pendingCount, now)) }
        resumesBelow = max(0, engine.pendingCount / 2 - 1)
    }

    /// The bytes of a pending request in a snapshot, without its identifier.
    private static let smallestPending = 12
    /// The same with a typical identifier.
    private static let usualPending = 64

    // MARK: the files

    private func open() throws(JournalFailure) {
        descriptor = Glibc.open(
            paths.current, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw JournalFailure(paths.current, errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw JournalFailure(paths.current, errno) }
        size = Int(status.st_size)
        if size == 0 {
            try write(JournalFile.heading)
        } else if !endsWhole {
            try rotate()
        }
    }

    /// False after a power cut or a bug: such a file is read up to the damage, but never extended.
    private var endsWhole: Bool {
        guard part(0, JournalFile.heading.count) == JournalFile.heading else { return false }
        if size == JournalFile.heading.count { return true }
        guard let trailer = part(size - 4, 4) else { return false }
        let length = trailer.integer(UInt32.self, at: 0)
        // fits: 32 bits; nothing is at a negative offset
        guard let heading = part(size - Int(length) - JournalFile.blockOverhead, 8) else {
            return false
        }
        return heading.integer(UInt32.self, at: 0) == length
            && heading.integer(UInt32.self, at: 4) == ~length
    }

    private func part(_ offset: Int, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard offset >= 0, pread(descriptor, &bytes, count, off_t(offset)) == count else {
            return nil
        }
        return bytes
    }

    private func rotate() throws(JournalFailure) {
        guard rename(paths.current, paths.previous) == 0 else {
            throw JournalFailure(paths.previous, errno)
        }
        close(descriptor)
        descriptor = -1
        try open()
    }

    /// Writes the whole block or nothing: the next block must follow a complete one.
    private func write(_ heading: [UInt8], _ records: [UInt8] = []) throws(JournalFailure) {
        precondition(descriptor >= 0, "a journal that was given up is written")
        precondition(records.count <= Int(UInt32.max), "a block of \(records.count) bytes")
        let trailer = records.isEmpty ? [] : [UInt8](le: UInt32(records.count))
        let total = heading.count + records.count + trailer.count
        let count = heading.withUnsafeBytes { heading in
            records.withUnsafeBytes { records in
                trailer.withUnsafeBytes { trailer in
                    let parts = [heading, records, trailer].map {
                        iovec(
                            iov_base: UnsafeMutableRawPointer(mutating: $0.baseAddress),
                            iov_len: $0.count)
                    }
                    return writev(descriptor, parts, Int32(parts.count))
                }
            }
        }
        guard count == total else {
            let code = count < 0 ? errno : ENOSPC
            _ = ftruncate(descriptor, off_t(size))
            throw JournalFailure(paths.current, code)
        }
        size += count
    }
}
