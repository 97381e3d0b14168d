// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import BGRunStore
import CBGRunShims
import Glibc

/// Follows a store that a host writes, until a signal comes. The kernel says when its log was written:
/// nothing is asked for meanwhile, the host is not disturbed, and it may come and go.
enum StoreWatch {
    /// Calls `changed` at once and after each change, at most 20 times a second.
    static func follow(_ state: StateDirectory, changed: @escaping (Store) throws -> Void) throws {
        bgrun_line_buffer_output()
        let loop = try EventLoop()
        var failure: (any Error)?
        let signals = try SignalSource(loop, [SIGINT, SIGTERM, SIGHUP]) { _ in loop.stop() }
        let database = state.database.split(separator: "/").last.map(String.init) ?? ""
        var store: Store?
        func look() {
            do {
                // Until a host makes it there is nothing to be told.
                if store == nil { store = try state.storeToRead() }
                if let store { try changed(store) }
            } catch {
                failure = error
                loop.stop()
            }
        }
        let watch = try WriteWatch(
            loop, state.path, pause: 50_000_000,
            names: { $0 == database || $0 == database + "-wal" }, heard: look)
        look()
        if failure == nil { loop.run() }
        withExtendedLifetime((signals, watch)) {}
        if let failure { throw failure }
    }
}
