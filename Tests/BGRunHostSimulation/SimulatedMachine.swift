// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy
import BGRunSystem

/// The processes of a simulated machine; they may outlive the host that started them.
final class SimulatedMachine: LeftoverProcesses {
    struct Process {
        let attempt: Int64
        let task: String
        let identity: ProcessIdentity
        /// The number of the host that started it.
        let host: Int
        let behaviour: Behaviour
        /// Whether its handler has begun.
        var isEntered = false
        var told: StopReason?
        var reported: Bool?
        var isTerminated = false
        var isKilled = false
    }

    /// The living processes, by pid.
    private(set) var processes: [Int32: Process] = [:]
    /// Processes of attempts whose workers have ended, by attempt.
    private(set) var strays: [Int64: String] = [:]
    /// Whether a process was started since a host last ended without any.
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

    /// Handles the death of the host. A worker ends, unless it cannot; its processes may stay.
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

    /// Restarts the machine after a power cut.
    func restart() {
        processes.removeAll()
        strays.removeAll()
        boot += 1
        lastPID = 100
    }

    // MARK: processes of an earlier host

    func end(_ worker: ProcessIdentity) -> Bool {
        guard processes[worker.pid]?.identity == worker else { return false }
        processes[worker.pid] = nil
        return true
    }

    func mayExist(store path: String) -> Bool { mayHaveProcesses }

    func areGone(store path: String) { mayHaveProcesses = false }

    /// Ends strays only: the environment of workers cannot be read here.
    func endMarked(store path: String) -> Int {
        defer { strays.removeAll() }
        return strays.count
    }
}
