// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSupervisor
import BGRunSystem
import CBGRunPlan
import CBGRunShims
import Glibc

/// Finds out what this machine's layers do by trying them in a child: versions do not tell what is permitted.
struct MachineProbe {
    /// bgrun-init.
    let executable: String
    let site: ConfinementSite

    /// The maximum wait for the child, in milliseconds.
    private static let timeout: Int32 = 5_000

    /// Blocks for some milliseconds.
    func layers() throws(SystemFailure) -> MachineLayers {
        MachineLayers(
            namespaceProblem: try namespaceProblem(),
            landlock: Int(max(0, bgrun_landlock_version())),
            hasSeccomp: bgrun_has_seccomp() == 0)
    }

    /// Has bgrun-init make namespaces with a `/proc` and execute a program in them.
    private func namespaceProblem() throws(SystemFailure) -> String? {
        var writer = PlanWriter()
        var header = bgrun_plan()
        header.flags = BGRUN_PLAN_NAMESPACES
        if !site.isRoot { header.flags |= BGRUN_PLAN_USER_NAMESPACE }
        header.user = site.user
        header.group = site.group
        header.mounts = writer.add([
            bgrun_plan_mount(
                kind: BGRUN_MOUNT_PROC.rawValue, flags: 0, path: writer.text("/proc"), target: 0,
                size: 0)
        ])
        (header.paths, header.ports) = (writer.add([UInt8]()), writer.add([UInt8]()))
        (header.limits, header.filter) = (writer.add([UInt8]()), writer.add([UInt8]()))
        // Without descriptor 3 the worker ends at once.
        header.executable = writer.text(site.worker)
        guard let bytes = writer.bytes(header) else { return "the plan is too large" }
        do throws(SystemFailure) {
            return try run(bytes)
        } catch {
            guard Resource(code: error.code) == nil else { throw error }
            return "\(error)"
        }
    }

    private func run(_ bytes: [UInt8]) throws(SystemFailure) -> String? {
        let file = bytes.withUnsafeBytes {
            bgrun_sealed_file("bgrun-plan", $0.baseAddress, $0.count)
        }
        guard file >= 0 else { throw SystemFailure("memfd_create", code: -file) }
        defer { close(file) }
        let (our, their) = try ProgramStart.socketPair(SOCK_SEQPACKET)
        defer { close(our) }
        let descriptors: [Int32?] = [nil, nil, nil, nil, nil, nil, file, their]
        let started = Result { () throws(SystemFailure) in
            try ProgramStart.spawn(executable, [], environment: [], descriptors)
        }
        close(their)
        let pid = try started.get()
        defer {
            ProcessHandle(pid)?.signal(SIGKILL)
            while waitpid(pid, nil, 0) < 0, errno == EINTR {}
        }
        return try outcome(of: our)
    }

    /// Nil if the worker was executed.
    private func outcome(of socket: Int32) throws(SystemFailure) -> String? {
        var isReady = false
        while true {
            var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            let ready = poll(&polled, 1, Self.timeout)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw SystemFailure("trying namespaces", code: EAGAIN) }
            var report = bgrun_init_report()
            var passed: Int32 = -1
            let count = withUnsafeMutableBytes(of: &report) {
                bgrun_receive_passing(socket, $0.baseAddress, $0.count, &passed)
            }
            if passed >= 0 { close(passed) }
            guard count > 0 else { return isReady ? nil : "bgrun-init has ended" }
            switch report.kind {
            case BGRUN_INIT_READY.rawValue: isReady = true
            case BGRUN_INIT_FAILED.rawValue:
                guard Resource(code: report.error) == nil else {
                    throw SystemFailure("trying namespaces", code: report.error)
                }
                return Self.problem(report)
            default: break
            }
        }
    }

    private static func problem(_ report: bgrun_init_report) -> String {
        let reason = String(cString: strerror(report.error))
        switch bgrun_init_step(rawValue: report.step) {
        case BGRUN_STEP_NAMESPACES, BGRUN_STEP_USER_MAP:
            let setting = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
            let isAppArmor =
                [EPERM, EACCES].contains(report.error) && ProcFile.text(setting).hasPrefix("1")
            return "unshare: \(reason)" + (isAppArmor ? ", by AppArmor: \(setting) is 1" : "")
        case BGRUN_STEP_MOUNT: return "mounting /proc: \(reason)"
        default: return "step \(report.step): \(reason)"
        }
    }
}
