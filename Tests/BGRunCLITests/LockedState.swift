// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Foundation
import Glibc

/// Runs `body` with the state directory of an app that this process has locked, as a host does; then removes it.
func withLockedState(
    of app: String = "org.test.app", _ body: (StateDirectory) throws -> Void
) throws {
    let root = NSTemporaryDirectory() + "bgrun-locked-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let state = try StateDirectory(app: app, override: root, environment: [:], userID: getuid())
    try state.create()
    let lock = try HostLock.acquire(
        state.hostLock,
        as: HostLock.Holder(
            pid: getpid(), started: WallTime(milliseconds: 0), manifest: "/a.yaml", version: "0"))
    try body(state)
    withExtendedLifetime(lock) {}
}
