// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import BGRunSystem
import Glibc

/// Ends processes of an earlier host: those of the system, or simulated ones.
package protocol LeftoverProcesses {
    /// Kills a worker and everything it started, and waits for its end; false: the process does not exist.
    func end(_ worker: ProcessIdentity) -> Bool
    /// Whether a host of the store at `path` has started workers, and no host has since recorded that all have ended.
    func mayExist(store path: String) -> Bool
    /// Kills everything that attempts of the store at `path` started, and returns the number of processes.
    func endMarked(store path: String) -> Int
    /// The host of the store at `path` ends without remaining processes.
    func areGone(store path: String)
}

/// The processes of this machine.
package struct SystemLeftovers: LeftoverProcesses {
    /// The maximum wait for killed processes, in milliseconds.
    private static let timeout: Int32 = 2_000

    package func end(_ identity: ProcessIdentity) -> Bool {
        guard let worker = ProcessHandle(identity) else { return false }
        worker.signal(SIGSTOP)
        ProcessTree.killAll(below: identity.pid)
        worker.signal(SIGKILL)
        _ = worker.waitForEnd(milliseconds: Self.timeout)
        return true
    }

    package func mayExist(store path: String) -> Bool { WorkersFile(store: path).exists }

    package func endMarked(store path: String) -> Int {
        ProcessMark(store: path)?.killAll(timeout: Self.timeout) ?? 0
    }

    package func areGone(store path: String) { WorkersFile(store: path).remove() }
}

extension Host {
    /// A worker ends by itself when its host dies. If it could not, it is killed before its attempt runs again, so that
    /// no attempt ever runs twice at the same time. If both were killed, processes that the worker started may still
    /// run: they are found by their mark.
    func killLeftovers() throws(StoreError) {
        let rows = try store.running()
        for row in rows {
            guard let worker = row.worker, leftovers.end(worker) else { continue }
            say(
                .warning,
                "Killed process \(worker.pid), which an earlier host had left behind for "
                    + row.attempt.request.identifier)
        }
        guard
            !rows.isEmpty || features.contains(where: \.mayHaveLeftovers)
                || leftovers.mayExist(store: store.path)
        else { return }
        let count = leftovers.endMarked(store: store.path)
        if count > 0 {
            say(.warning, "Killed processes that attempts of an earlier host had started: \(count)")
        }
    }
}
