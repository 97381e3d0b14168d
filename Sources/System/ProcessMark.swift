// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Identifies the store whose host has started a process, in the environment that descendants
/// inherit: the next host uses it to find processes that outlived host and worker, whose process
/// tree no longer exists. A process that has replaced its environment is found only below one that
/// has not.
package struct ProcessMark: Equatable, Sendable {
    package static let variable = "BGRUN_ATTEMPT_OF"
    /// `DEVICE-INODE` of the store: unique across locations, containers and copies.
    package let value: String

    /// The mark of the store at `path`; nil if it is missing.
    package init?(store path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        value = "\(String(status.st_dev, radix: 16))-\(String(status.st_ino, radix: 16))"
    }

    /// Kills every process with this mark that this user may kill, with its descendants, except
    /// this process and its ancestors. Returns when they have ended, after at most `timeout`
    /// milliseconds, with their number.
    package func killAll(timeout: Int32) -> Int {
        let spared = Self.lineage(of: getpid())
        var sweep = KillSweep { holders(sparing: spared) }
        while !sweep.step() {}
        return sweep.waitForEnd(milliseconds: timeout)
    }

    /// The processes with this mark and their descendants, parents first.
    func holders(sparing spared: Set<pid_t>) -> [ProcessIdentity] {
        let entry = Array("\(Self.variable)=\(value)".utf8)
        var found: Set<ProcessIdentity> = []
        for pid in (Directory.names(in: "/proc") ?? []).compactMap({ pid_t($0) })
        where !spared.contains(pid) {
            guard let identity = ProcessIdentity(of: pid),
                let environment = ProcFile.bytes("/proc/\(pid)/environ"),
                environment.split(separator: 0).contains(where: { $0.elementsEqual(entry) })
            else { continue }
            found.insert(identity)
            found.formUnion(ProcessTree.members(below: pid).filter { !spared.contains($0.pid) })
        }
        return ProcessTree.parentsFirst(found.filter(\.isAlive))
    }

    /// The process and its ancestors.
    private static func lineage(of pid: pid_t) -> Set<pid_t> {
        var pids: Set<pid_t> = []
        var next = pid
        while next > 0, pids.insert(next).inserted {
            next = ProcFile.statFields(of: next)?.parent ?? 0
        }
        return pids
    }
}
