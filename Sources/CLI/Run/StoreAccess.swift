// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunPolicy
import BGRunStorage
import Glibc
import Synchronization

extension StateDirectory {
    var journalPaths: JournalPaths { JournalPaths(current: journal, previous: previousJournal) }

    /// The current journal; empty if it cannot be read.
    var journalImages: [JournalImage] {
        do throws(JournalFailure) {
            return try JournalImage.read(journalPaths)
        } catch {
            complain(error.message)
            return []
        }
    }

    /// The stored wait of an identifier, which a host that starts later records in the journal; nil without a
    /// database, or if it cannot be read.
    func storedWait(
        of identifier: String, at now: WallTime
    ) -> (what: WaitHistory.Stored, now: WallTime)? {
        guard let store = try? storeToRead() else { return nil }
        guard let request = try? store.request(identifier) else { return (.nothing, now) }
        return (.request(request.id, submitted: request.submitted), now)
    }

    /// Whether the app's lock is held: by a host, or by a command for a moment.
    var hasHost: Bool {
        get throws(HostLockError) { try HostLock.holder(of: hostLock) != nil }
    }

    /// This directory, unless it belongs to another user and cannot be read: reports that and ends the
    /// command. A missing one may be read.
    func readable() throws -> StateDirectory {
        guard access(path, R_OK | X_OK) != 0, errno == EACCES else { return self }
        throw notPermitted()
    }

    /// The reason for its missing store: the name or `--state` may be mistyped.
    var notRun: String { "the app has not been run here, its state would be in \(path)" }

    /// Reports its owner, or that its mode locks out its own user.
    func notPermitted() -> any Error {
        if let closed {
            return Exit.ioError.reporting(closed.message)
        }
        return Exit.refused.reporting("not permitted: the app in \(path) is another user's")
    }

    /// The store, opened read-only. Reports a damaged row once, on standard error.
    func openStoreToRead() throws(StoreError) -> Store {
        let store = try Store.open(database, readOnly: true, app: app)
        store.foundDamage = DamageReport.add
        return store
    }

    /// The same; nil before the first host has created it.
    func storeToRead() throws(StoreError) -> Store? {
        do throws(StoreError) {
            return try openStoreToRead()
        } catch {
            guard error.isOfNewStore else { throw error }
            return nil
        }
    }

    /// Whether the store exists but cannot be read at all.
    var isStoreUnreadable: Bool {
        do throws(StoreError) {
            _ = try openStoreToRead().pendingCount()
            return false
        } catch {
            return !error.isOfNewStore
        }
    }
}

extension StoreError {
    /// Whether no host has finished creating the store yet.
    var isOfNewStore: Bool {
        switch self {
        case .missing, .outdated(_, found: 0, _): true
        default: false
        }
    }
}

/// The damaged rows that this process has reported: each once, regardless of how often the store is
/// opened; those of another user's app in one line.
enum DamageReport {
    private struct State {
        var known: Set<DamagedRow> = []
        /// The directories of damaged apps of other users.
        var apps: Set<String> = []
        /// Messages held back during a full-screen view; nil: write messages at once.
        var held: [String]?
    }

    private static let state = Mutex(State())

    static func add(_ row: DamagedRow) {
        report(row.message) { $0.known.insert(row).inserted }
    }

    /// The longest summary, in characters; its text comes from another user's process.
    private static let longest = 500

    /// Reports the `summary` of the process that has read the state of `app` in `directory`.
    static func add(_ summary: String, of app: String, in directory: String) {
        report("\(app): \(summary.prefix(longest))") { $0.apps.insert(directory).inserted }
    }

    private static func report(_ message: String, isNew: (inout State) -> Bool) {
        let isDue = state.withLock { state in
            guard isNew(&state) else { return false }
            state.held?.append(message)
            return state.held == nil
        }
        if isDue { complain(LogText.visible(message)) }
    }

    /// One damaged row, and the number of others; nil without any.
    static var summary: String? {
        let known = state.withLock { $0.known }
        guard let first = known.map(\.message).min() else { return nil }
        let others = known.count > 1 ? "; others that are damaged: \(known.count - 1)" : ""
        return String(first.prefix(longest - others.count)) + others
    }

    /// Runs `body`, which uses the full screen, and writes the messages after it.
    static func holding<Value>(_ body: () throws -> Value) rethrows -> Value {
        state.withLock { $0.held = [] }
        defer {
            let held = state.withLock { state in
                defer { state.held = nil }
                return state.held ?? []
            }
            for message in held { complain(LogText.visible(message)) }
        }
        return try body()
    }
}
