// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunProcess
import BGRunStore
import Glibc

extension Host {
    /// A worker ends by itself when its host dies. One that could not is still there: it is killed
    /// before its attempt is run again, so that no attempt ever runs twice at once.
    func killLeftovers() throws(StoreError) {
        for row in try store.running() {
            guard let lease = row.worker else { continue }
            let identity = ProcessIdentity(
                pid: lease.pid, startTicks: Int64(bitPattern: lease.startTicks),
                bootID: lease.bootID)
            guard identity.isAlive else { continue }
            ProcessTree.killAll(below: lease.pid)
            kill(-lease.pid, SIGKILL)
            kill(lease.pid, SIGKILL)
            say(
                .warning,
                "Killed process \(lease.pid), which an earlier host had left behind for "
                    + row.attempt.request.identifier)
        }
    }
}
