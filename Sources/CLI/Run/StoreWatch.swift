// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunStorage
import CBGRunShims
import Glibc

/// Follows a store that a host writes, until a signal comes. The kernel reports writes to its log: the watch
/// does not poll or disturb the host, which may end and restart.
enum StoreWatch {
    /// Reads at once and after each change, at most 20 times a second: `read` sees the store at one instant,
    /// and `show` gets the result.
    static func follow<Found>(
        _ state: StateDirectory, read: @escaping (Store) throws -> Found,
        show: @escaping (Found) -> Void
    ) throws {
        // The first host may not have run yet. An existing directory may belong to another user:
        // root follows it, too.
        if access(state.path, F_OK) != 0 { try state.create() }
        bgrun_line_buffer_output()
        let loop = try EventLoop()
        var failure: (any Error)?
        let signals = try SignalSource(loop, [SIGINT, SIGTERM, SIGHUP]) { _ in loop.stop() }
        let database = state.database.split(separator: "/").last.map(String.init) ?? ""
        var store: Store?
        func look() {
            do {
                // Nothing to show until a host creates it.
                if store == nil { store = try state.storeToRead() }
                if let store { show(try store.snapshot { try read(store) }) }
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
