// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunSystem

/// The processes of a simulated machine, which may outlive the host that has started them.
final class SimulatedMachine: LeftoverProcesses {
    struct Process {
        let attempt: Int64
        let task: String
        let identity: ProcessIdentity
        /// The number of the host that has started it.
        let host: Int
        let behaviour: Behaviour
        /// Whether its handler was entered.
        var isEntered = false
        var told: StopReason?
        var reported: Bool?
        var isTerminated = false
        var isKilled = false
    }

    /// Those that live, by pid.
    private(set) var processes: [Int32: Process] = [:]
    /// Processes that attempts have started and whose workers are gone, by attempt.
    private(set) var strays: [Int64: String] = [:]
    /// Whether a process was started since a host has ended without one.
    private var mayHaveProcesses = false
    private var lastPID: Int32 = 100
    private var boot = 1

    func start(
        _ attempt: Int64, of task: String, host: Int, _ behaviour: Behaviour
    ) -> ProcessIdentity {
        lastPID += 1
        mayHaveProcesses = true
        let identity = ProcessIdentity(
            pid: lastPID, startTicks: Int64(lastPID) * 3, bootID: "boot \(boot)")
        processes[lastPID] = Process(
            attempt: attempt, task: task, identity: identity, host: host, behaviour: behaviour)
        return identity
    }

    func change(_ pid: Int32, _ body: (inout Process) -> Void) {
        if processes[pid] != nil { body(&processes[pid, default: Self.nobody]) }
    }

    private static let nobody = Process(
        attempt: 0, task: "", identity: ProcessIdentity(pid: 0, startTicks: 0, bootID: ""), host: 0,
        behaviour: Behaviour())

    func end(pid: Int32) { processes[pid] = nil }

    /// The host has died. A worker ends then, unless it cannot; what it had started may stay.
    func hostDied(fate: (Process) -> Fate) {
        for process in processes.values.sorted(by: { $0.identity.pid < $1.identity.pid }) {
            let fate = process.isEntered ? fate(process) : .ends
            if fate == .stays { continue }
            processes[process.identity.pid] = nil
            if fate == .leavesStray { strays[process.attempt] = process.task }
        }
    }

    enum Fate {
        case ends
        case stays
        case leavesStray
    }

    /// The power is cut, and comes back.
    func restart() {
        processes.removeAll()
        strays.removeAll()
        boot += 1
        lastPID = 100
    }

    // MARK: what an earlier host has left behind

    func end(_ worker: ProcessIdentity) -> Bool {
        guard processes[worker.pid]?.identity == worker else { return false }
        processes[worker.pid] = nil
        return true
    }

    func mayExist(store path: String) -> Bool { mayHaveProcesses }

    func areGone(store path: String) { mayHaveProcesses = false }

    /// Workers are not found this way here: their environment cannot be read.
    func endMarked(store path: String) -> Int {
        defer { strays.removeAll() }
        return strays.count
    }
}
