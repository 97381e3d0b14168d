// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processes that an attempt has started, found by walking `/proc`.
///
/// A child subreaper keeps its descendants: a process that forks twice, or starts a new session, becomes a child
/// of the subreaper when its parent ends. So everything that was ever started below a subreaper is found below
/// it.
package enum ProcessTree {
    /// The children of every thread of `pid`.
    package static func children(of pid: pid_t) -> [pid_t] { knownChildren(of: pid) ?? [] }

    /// The same; nil if this process lacks descriptors or memory for the search.
    package static func knownChildren(of pid: pid_t) -> [pid_t]? {
        guard let threads = Directory.names(in: "/proc/\(pid)/task") else {
            return isShortage(errno) ? nil : []
        }
        var children: [pid_t] = []
        for thread in threads {
            guard let bytes = ProcFile.bytes("/proc/\(pid)/task/\(thread)/children") else {
                if isShortage(errno) { return nil }
                continue
            }
            children += ProcFile.numbers(bytes).compactMap { pid_t(exactly: $0) }
        }
        return children
    }

    /// Sends `signal` to everything below `root` that is not `spared`.
    package static func signal(_ signal: Int32, below root: pid_t, sparing spared: Set<pid_t> = [])
    {
        precondition(root > 0 && signal > 0, "signal \(signal) to what is below \(root)")
        for member in members(below: root, sparing: { spared }) {
            if let process = ProcessHandle(member) { process.signal(signal) }
        }
    }

    /// Kills all descendants of `root` except `spared`, regardless of how fast they fork: stops all first, until
    /// no new ones appear, and only then kills them. Takes unbounded time.
    package static func killAll(below root: pid_t, sparing spared: Set<pid_t> = []) {
        var sweep = KillSweep(below: root) { spared }
        while !sweep.step() {}
    }

    /// All descendants of `root`, parents before children, with their identities. A process whose ID
    /// was reused, or whose parent has changed, is omitted, and so are the children of `root` that `spared`
    /// returns once they are listed.
    static func members(
        below root: pid_t, sparing spared: () -> Set<pid_t> = { [] }
    ) -> [ProcessIdentity] {
        var found: [ProcessIdentity] = []
        var seen: Set<pid_t> = [root]
        var next = [root]
        while let parent = next.popLast() {
            let listed = children(of: parent)
            let omitted = parent == root ? spared() : []
            for pid in listed where !omitted.contains(pid) {
                guard seen.insert(pid).inserted, let stat = ProcFile.statFields(of: pid),
                    stat.parent == parent
                else { continue }
                found.append(
                    ProcessIdentity(
                        pid: pid, startTicks: stat.startTicks,
                        bootID: ProcessIdentity.currentBootID))
                next.append(pid)
            }
        }
        return found
    }

    /// Orders processes so that each one follows its parent: if the caller of a sweep is killed, no running
    /// process waits for a stopped child.
    static func parentsFirst(
        _ processes: Set<ProcessIdentity>,
        parent: (pid_t) -> pid_t? = { ProcFile.statFields(of: $0)?.parent }
    ) -> [ProcessIdentity] {
        var left = Dictionary(processes.map { ($0.pid, $0) }) { first, _ in first }
        var ordered: [ProcessIdentity] = []
        for process in processes {
            var line: [ProcessIdentity] = []
            var next: pid_t? = process.pid
            while let pid = next, let one = left.removeValue(forKey: pid) {
                line.append(one)
                next = parent(pid)
            }
            ordered += line.reversed()
        }
        return ordered
    }
}
