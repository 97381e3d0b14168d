// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunHostSimulation
import Foundation

@testable import BGRunStorage

/// Obstacles to a store, each made in the way of its implementation.
extension StoreBench {
    /// Runs `body` while another program holds the write lock.
    func whileBusy(_ body: () throws -> Void) throws {
        guard arm != .simulated else {
            disk.isBusy = true
            try body()
            disk.isBusy = false
            return
        }
        let other = try Database(path, .write, timeout: 0)
        try other.execute("BEGIN IMMEDIATE")
        try body()
        try other.execute("COMMIT")
    }

    /// Runs `body` while `store`, which was changed before, cannot grow.
    func whileFull(_ store: any HostStore, _ body: () throws -> Void) throws {
        guard let store = store as? Store else {
            disk.isFull = true
            try body()
            disk.isFull = false
            return
        }
        try store.access { try $0.execute("PRAGMA max_page_count = 1") }
        try body()
        try store.access { try $0.execute("PRAGMA max_page_count = 100000") }
    }

    /// Puts the files of a new store into the place of the present ones.
    func replace() throws {
        guard arm != .simulated else { return disk.replace() }
        for suffix in ["", "-wal", "-shm"]
        where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        _ = try Store.open(path)
    }
}
