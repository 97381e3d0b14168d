// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Kills a group of processes regardless of how fast it forks, in parts, so that the caller can do
/// other work in between: each part stops the processes that have appeared since the last one. When
/// no new process appears, all are killed.
package struct KillSweep {
    private let find: () -> [ProcessIdentity]
    private var stopped: Set<ProcessIdentity> = []
    private var parts = 0

    /// After this many parts, the known processes of a group that forks faster than it is stopped
    /// are killed; the rest is found when its parents have died.
    private static let mostParts = 1_000

    /// All descendants of `root`, except its children in `spared` and their descendants. Each part
    /// calls `spared` after listing the children.
    package init(below root: pid_t, sparing spared: @escaping () -> Set<pid_t> = { [] }) {
        precondition(root > 0, "process \(root) has no descendants of its own")
        self.init { ProcessTree.members(below: root, sparing: spared) }
    }

    init(_ find: @escaping () -> [ProcessIdentity]) { self.find = find }

    /// Performs one part; true if it was the last.
    package mutating func step() -> Bool {
        precondition(parts < Self.mostParts, "a sweep continues after its end")
        parts += 1
        let new = find().filter { !stopped.contains($0) }
        if !new.isEmpty, parts < Self.mostParts {
            for process in new {
                if let handle = ProcessHandle(process) { handle.signal(SIGSTOP) }
                stopped.insert(process)
            }
            return false
        }
        for process in stopped.union(new) {
            if let handle = ProcessHandle(process) { handle.signal(SIGKILL) }
        }
        return true
    }

    /// Waits for the killed processes to end, at most this many milliseconds; returns their number.
    func waitForEnd(milliseconds: Int32) -> Int {
        var left = milliseconds
        for process in stopped where left > 0 {
            guard let handle = ProcessHandle(process) else { continue }
            if !handle.waitForEnd(milliseconds: left) { left = 0 }
        }
        return stopped.count
    }
}
