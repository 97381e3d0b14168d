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

    /// The store, for reading only; nil when no host has ever run, or the first one is just making it.
    func storeToRead() throws(StoreError) -> Store? {
        do throws(StoreError) {
            return try openStoreToRead()
        } catch {
            switch error {
            case .missing, .outdated(_, found: 0, _): return nil
            default: throw error
            }
        }
    }
}

/// The damaged rows that this process has reported: each is reported once, however often the store is
/// opened.
enum DamageReport {
    private struct State {
        var known: Set<DamagedRow> = []
        /// Messages that wait for the end of a view that fills the terminal; nil: they are written
        /// at once.
        var held: [String]?
    }

    private static let state = Mutex(State())

    static func add(_ row: DamagedRow) {
        let isDue = state.withLock { state in
            guard state.known.insert(row).inserted else { return false }
            state.held?.append(row.message)
            return state.held == nil
        }
        if isDue { complain(LogText.visible(row.message)) }
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
