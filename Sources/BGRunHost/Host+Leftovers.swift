// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunProcess
import BGRunStore
import Glibc

extension Host {
    /// How long the host waits for killed processes, in milliseconds.
    private static let leftoverPatience: Int32 = 2_000

    /// A worker ends by itself when its host dies. One that could not is still there: it is killed
    /// before its attempt is run again, so that no attempt ever runs twice at the same time.
    /// Processes that it had started may have outlived it if both were killed: they are found by
    /// their mark.
    func killLeftovers() throws(StoreError) {
        let rows = try store.running()
        for row in rows {
            guard let lease = row.worker else { continue }
            let identity = ProcessIdentity(
                pid: lease.pid, startTicks: Int64(bitPattern: lease.startTicks),
                bootID: lease.bootID)
            guard let worker = ProcessHandle(identity) else { continue }
            worker.signal(SIGSTOP)
            ProcessTree.killAll(below: lease.pid)
            worker.signal(SIGKILL)
            _ = worker.waitForEnd(milliseconds: Self.leftoverPatience)
            say(
                .warning,
                "Killed process \(lease.pid), which an earlier host had left behind for "
                    + row.attempt.request.identifier)
        }
        guard !rows.isEmpty || features.contains(where: \.mayHaveLeftovers),
            let mark = ProcessMark(store: store.path)
        else { return }
        let count = mark.killAll(patience: Self.leftoverPatience)
        if count > 0 {
            say(.warning, "Killed \(count) processes that attempts of an earlier host had started")
        }
    }
}
