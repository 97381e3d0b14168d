// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSystem
import CBGRunPlan
import CBGRunShims
import Glibc

/// The host's side of bgrun-init: what it reports about one worker. Read when it is needed: bgrun-init reports before it
/// executes the worker.
final class InitLink {
    private let plan: WorkerPlan
    private var socket: Int32
    /// PID 1 of the worker's namespace: its end ends everything in it. -1: without namespaces, or not started.
    private var namespace: Int32 = -1
    /// The worker's own process; -1: the same.
    private var worker: Int32 = -1
    /// The worker's process ID here; nil: unknown.
    private(set) var workerPid: pid_t?
    /// PID 1 of its namespace, and the same.
    private(set) var namespacePid: pid_t?
    /// Why nothing of the plugin has run.
    private(set) var failure: Failure?

    struct Failure {
        var sentence: String
        var code: Int32
    }

    /// Takes over the socket.
    init(_ socket: Int32, _ plan: WorkerPlan) {
        self.socket = socket
        self.plan = plan
        _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    }

    deinit {
        for descriptor in [socket, namespace, worker] where descriptor >= 0 { close(descriptor) }
    }

    var hasNamespaces: Bool { namespace >= 0 }

    /// Whether the worker's own process has ended: its ID is unknown if the namespace's PID 1 has reaped it before its
    /// report was read. False: it runs, or is not known.
    var hasWorkerEnded: Bool {
        guard worker >= 0 else { return false }
        var polled = pollfd(fd: worker, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, 0) != 0
    }

    /// Signals the worker's process; false: it is not known.
    func signalWorker(_ number: Int32) -> Bool {
        read()
        guard worker >= 0 else { return false }
        _ = bgrun_pidfd_signal(worker, number)
        return true
    }

    /// Signals PID 1 of the namespace, if there is one.
    func signalNamespace(_ number: Int32) {
        read()
        if namespace >= 0 { _ = bgrun_pidfd_signal(namespace, number) }
    }

    /// Kills everything in the namespace; false: the worker has no namespace.
    func killNamespace() -> Bool {
        read()
        guard namespace >= 0 else { return false }
        _ = bgrun_pidfd_signal(namespace, SIGKILL)
        return true
    }

    /// Reads the reports that have arrived.
    func read() {
        while socket >= 0 {
            var report = bgrun_init_report()
            var passed: Int32 = -1
            let size = MemoryLayout<bgrun_init_report>.size
            let count = withUnsafeMutableBytes(of: &report) {
                bgrun_receive_passing(socket, $0.baseAddress, size, &passed)
            }
            if count == -EINTR { continue }
            guard count != -EAGAIN else { return }
            take(report, passed, isWhole: Int(count) == size)
        }
    }

    private func take(_ report: bgrun_init_report, _ passed: Int32, isWhole: Bool) {
        switch report.kind {
        case BGRUN_INIT_STARTED.rawValue where isWhole && passed >= 0 && namespace < 0:
            namespace = passed
            namespacePid = Self.pid(of: passed)
        case BGRUN_INIT_READY.rawValue where isWhole && passed >= 0 && worker < 0:
            worker = passed
            workerPid = Self.pid(of: passed)
        default:
            if passed >= 0 { close(passed) }
            if isWhole, report.kind == BGRUN_INIT_FAILED.rawValue, failure == nil {
                failure = Failure(sentence: sentence(report), code: report.error)
            }
            // At the end of the socket, and after a report that is not bgrun-init's.
            if !isWhole {
                close(socket)
                socket = -1
            }
        }
    }

    private func sentence(_ report: bgrun_init_report) -> String {
        let step =
            switch bgrun_init_step(rawValue: report.step) {
            case BGRUN_STEP_NAMESPACES: "creating its namespaces"
            case BGRUN_STEP_USER_MAP: "mapping its user"
            case BGRUN_STEP_FORK, BGRUN_STEP_PARENT: "starting its processes"
            case BGRUN_STEP_COPY, BGRUN_STEP_MOUNT: "mounting \(Self.item(report, plan.mounts))"
            case BGRUN_STEP_ROOT: "making the file system read-only"
            case BGRUN_STEP_LIMIT: "setting its limits"
            case BGRUN_STEP_CAPABILITIES: "dropping its capabilities"
            case BGRUN_STEP_LANDLOCK, BGRUN_STEP_PORT: "setting its Landlock rules"
            case BGRUN_STEP_PATH: "granting \(Self.item(report, plan.paths))"
            case BGRUN_STEP_SECCOMP: "setting its system call filter"
            case BGRUN_STEP_EXECUTE: "executing bgrun-worker"
            default: "reading its plan"
            }
        let reason = String(cString: strerror(report.error))
        return "the worker could not be confined: \(step): \(reason)"
    }

    private static func item(_ report: bgrun_init_report, _ items: [String]) -> String {
        items.indices.contains(Int(report.index)) ? items[Int(report.index)] : "a path"
    }

    /// The process ID in this PID namespace, which `/proc` shows for a pidfd.
    private static func pid(of pidfd: Int32) -> pid_t? {
        let lines = ProcFile.text("/proc/self/fdinfo/\(pidfd)").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("Pid:") }
        return line?.split(separator: "\t").last.flatMap { pid_t($0) }.flatMap { $0 > 0 ? $0 : nil }
    }
}
