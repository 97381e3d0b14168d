// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunCore
import BGRunHost
import BGRunManifest
import BGRunStore
import Glibc

/// How a command reaches an app: through its host when one runs, else on its store under its lock.
enum HostAccess {
    /// Asks the running host; nil when none runs.
    static func ask(
        _ request: ControlRequest, _ state: StateDirectory
    ) throws -> ControlResponse? {
        // A host that is just starting holds the lock before it listens, one that ends after.
        for _ in 0..<200 {
            do {
                return try ControlClient(path: state.controlSocket).ask(request)
            } catch {
                guard try HostLock.holder(of: state.hostLock) != nil else { return nil }
                usleep(10_000)
            }
        }
        complain("the host of this app does not answer; see whether it is stopped")
        throw Exit.unavailable
    }

    /// Opens the store for a change, under the app's lock.
    static func withStore<Value>(
        _ manifest: Manifest, _ path: String, _ state: StateDirectory,
        _ body: (Store) throws -> Value
    ) throws -> Value {
        try state.create()
        let lock = try HostLock.acquire(
            state.hostLock,
            as: HostLock.Holder(
                pid: getpid(), started: SystemClock().now.wall, manifest: path,
                version: Version.text))
        return try change(try Store.open(state.database), holding: lock, body)
    }

    private static func change<Value>(
        _ store: Store, holding lock: borrowing HostLock, _ body: (Store) throws -> Value
    ) throws -> Value {
        try body(store)
    }
}
