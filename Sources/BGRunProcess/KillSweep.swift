// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Kills a group of processes however fast it forks, part by part, so that whoever does it can do other
/// things in between: each part stops what has appeared since the last one. When nothing new appears,
/// all are killed.
package struct KillSweep {
    private let find: () -> [ProcessIdentity]
    private var stopped: Set<ProcessIdentity> = []
    private var parts = 0

    /// What forks faster than it is stopped is killed as far as it is known after so many parts; the rest
    /// is found when its parents have died.
    private static let mostParts = 1_000

    /// Everything below `root` but those of its children that are `spared`.
    package init(below root: pid_t, sparing spared: Set<pid_t> = []) {
        self.init { ProcessTree.members(below: root, sparing: spared) }
    }

    init(_ find: @escaping () -> [ProcessIdentity]) {
        self.find = find
    }

    /// One part; true when it was the last.
    package mutating func step() -> Bool {
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

    /// Waits for the end of all that were killed, at most so many milliseconds; how many they were.
    package func waitForEnd(milliseconds: Int32) -> Int {
        var left = milliseconds
        for process in stopped where left > 0 {
            guard let handle = ProcessHandle(process) else { continue }
            if !handle.waitForEnd(milliseconds: left) { left = 0 }
        }
        return stopped.count
    }
}
