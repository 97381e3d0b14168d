// SPDX-License-Identifier: Apache-2.0

import BGRunStorage
import Synchronization

extension StateDirectory {
    /// The store, for reading only. A damaged row that is found while reading is reported once on
    /// standard error.
    func openStoreToRead() throws(StoreError) -> Store {
        let store = try Store.open(database, readOnly: true, app: app)
        store.foundDamage = DamageReport.add
        return store
    }

    /// The same; nil when no host has ever run, or the first one is just making it.
    func storeToRead() throws(StoreError) -> Store? {
        do throws(StoreError) {
            return try openStoreToRead()
        } catch {
            guard error.isOfNewStore else { throw error }
            return nil
        }
    }

    /// Whether there is a store of which nothing can be read.
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
    /// Whether no host has ever run, or the first one is just making the store.
    var isOfNewStore: Bool {
        switch self {
        case .missing, .outdated(_, found: 0, _): true
        default: false
        }
    }
}

/// The damaged rows that this process has reported: each is reported once, however often the store is
/// opened. Those of another user's app are reported in one line, once.
enum DamageReport {
    private struct State {
        var known: Set<DamagedRow> = []
        /// The directories of apps of other users that are damaged.
        var apps: Set<String> = []
        /// Messages that wait for the end of a view that fills the terminal; nil: they are written
        /// at once.
        var held: [String]?
    }

    private static let state = Mutex(State())

    static func add(_ row: DamagedRow) {
        report(row.message) { $0.known.insert(row).inserted }
    }

    /// The longest summary, in characters; its text comes from another user's process.
    private static let longest = 500

    /// Reports what the process that has read the state of `app` in `directory` has said in its `summary`.
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

    /// One of the damaged rows, and how many others there are; nil without any.
    static var summary: String? {
        let known = state.withLock { $0.known }
        guard let first = known.map(\.message).min() else { return nil }
        let others = known.count > 1 ? "; others that are damaged: \(known.count - 1)" : ""
        return String(first.prefix(longest - others.count)) + others
    }

    /// Runs `body`, which fills the terminal, and writes the messages after it.
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
