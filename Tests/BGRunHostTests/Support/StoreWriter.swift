// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

@testable import BGRunStorage

/// Another program that holds the write lock of a store.
final class StoreWriter {
    private let database: Database
    private let clock: TestClock

    init(_ bench: HostBench) throws {
        clock = bench.clock
        database = try Database(bench.path, .write, timeout: 0)
        try database.execute("BEGIN IMMEDIATE")
    }

    func letGo() throws { try database.execute("COMMIT") }

    /// Releases the lock, and lets a second pass, after which the host tries again.
    func release() throws {
        try letGo()
        clock.advance(by: .seconds(1))
    }
}
