// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Foundation
import Glibc

/// The state directory of an app with a database of transfers, for suites that inherit it. It is removed after each
/// test.
class TransferDatabase {
    let base = NSTemporaryDirectory() + "/bgt-\(UUID().uuidString)"
    let state: StateDirectory
    let store: TransferStore

    /// The task of session `org.test.s`.
    static let sessionTask =
        "org.test.s:\n  kind: transfer\n  call: {library: libc.so.6, function: sync}\n"

    init() throws {
        state = try StateDirectory(
            app: "org.test.app", override: base, environment: [:], userID: geteuid())
        try state.create()
        mkdir(state.downloads, 0o700)
        store = try TransferStore.open(state.transfers)
    }

    deinit { try? FileManager.default.removeItem(atPath: base) }

    static func download(in session: String = "s", to file: String? = nil) -> TransferRequest {
        TransferRequest(
            session: session, direction: .download, url: "https://example.org/f", file: file)
    }

    @discardableResult
    func add(_ request: TransferRequest, name: String? = nil) throws -> Int64 {
        try store.add(request, name: name, at: WallTime(milliseconds: 1))
    }

    /// Stores the success of a transfer as the transfer service does.
    func complete(_ id: Int64, file: String? = nil) throws {
        var progress = TransferProgress()
        progress.result = .completed
        progress.finished = WallTime(milliseconds: 2)
        progress.file = file
        try store.save([(id, progress)], .full)
    }
}
