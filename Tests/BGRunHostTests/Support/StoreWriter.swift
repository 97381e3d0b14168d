// SPDX-License-Identifier: Apache-2.0

@testable import BGRunStorage

/// Another program that holds the write lock of a store.
final class StoreWriter {
    private let database: Database

    init(_ bench: HostBench) throws {
        database = try Database(bench.path, .write, timeout: 0)
        try database.execute("BEGIN IMMEDIATE")
    }

    func letGo() throws { try database.execute("COMMIT") }
}
