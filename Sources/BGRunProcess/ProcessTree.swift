// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processes an attempt has started, found by walking `/proc`.
///
/// A process that is a child subreaper keeps its descendants: one that forks twice, or starts a
/// session of its own, becomes a child of the subreaper again when its parent ends. So everything
/// that was ever started below a subreaper is found below it.
public enum ProcessTree {
    /// The processes below `root`, without `root` itself, parents before children.
    public static func descendants(of root: pid_t) -> [pid_t] {
        var found: [pid_t] = []
        var next = children(of: root)
        while let pid = next.popLast() {
            found.append(pid)
            next += children(of: pid)
        }
        return found
    }

    /// The children of every thread of `pid`.
    public static func children(of pid: pid_t) -> [pid_t] {
        (Directory.names(in: "/proc/\(pid)/task") ?? []).flatMap { thread in
            ProcFile.text("/proc/\(pid)/task/\(thread)/children")
                .split(separator: " ").compactMap { pid_t($0) }
        }
    }

    /// Sends `signal` to everything below `root` that is not `spared`.
    public static func signal(_ signal: Int32, below root: pid_t, sparing spared: Set<pid_t> = []) {
        for child in children(of: root) where !spared.contains(child) {
            for pid in [child] + descendants(of: child) { kill(pid, signal) }
        }
    }

    /// Kills everything below `root` but what is `spared`, however fast it forks: all of it is
    /// stopped first, until nothing new appears, and only then killed.
    public static func killAll(below root: pid_t, sparing spared: Set<pid_t> = []) {
        var stopped: Set<pid_t> = []
        for _ in 0..<1_000 {
            let alive = children(of: root).filter { !spared.contains($0) }
                .flatMap { [$0] + descendants(of: $0) }
            let new = alive.filter { !stopped.contains($0) }
            if new.isEmpty { break }
            for pid in new { kill(pid, SIGSTOP) }
            stopped.formUnion(new)
        }
        for pid in stopped { kill(pid, SIGKILL) }
    }
}
