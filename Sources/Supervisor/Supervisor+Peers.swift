// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunSystem
import Glibc

/// Programs that ask the host by a socket. Where the socket's path cannot be hidden from confined handlers, their
/// questions must be refused.
extension Supervisor {
    /// Whether it is, or may be, a process of a confined attempt. All of them are below this process: it and each worker
    /// are child subreapers.
    package func isConfined(_ peer: PeerCredentials) -> Bool {
        guard hasConfined else { return false }
        switch peer.process {
        case .outside: return false
        case .unknown:
            // A handler cannot become another user, except root's.
            return peer.user == geteuid() || geteuid() == 0
        case .known(let process):
            return isConfined(ProcessBranch(of: process, below: getpid()))
        }
    }

    func isConfined(_ branch: ProcessBranch) -> Bool {
        switch branch {
        case .outside: false
        case .unknown: true
        case .child(let pid):
            if let worker = workers[pid], worker.death == nil {
                worker.key.confinement != nil
            } else {
                // Otherwise it was left behind by a worker.
                helperProcesses[pid] == nil
            }
        }
    }
}
