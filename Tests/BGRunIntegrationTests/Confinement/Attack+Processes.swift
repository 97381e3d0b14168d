// SPDX-License-Identifier: Apache-2.0

/// EXPECTATIONS: correct a row here if the promise itself was wrong, with the reason.
extension Attack {
    /// Rows 1 to 12 of the design: another process of the user.
    static let onProcesses: [Attack] =
        ["kill", "kill_group", "tgkill", "sigqueue"].map {
            Attack(
                $0, "ESRCH", noNamespaces: .landlock(6, "EPERM"), noLandlock: "ESRCH",
                noSeccomp: "ESRCH", control: "done"
            ).changed { $0.isFatal = true }
        } + [
            Attack(
                "kill_all", "ESRCH", noNamespaces: "skipped", noLandlock: "ESRCH",
                noSeccomp: "ESRCH"),
            Attack(
                "ptrace", "EPERM", noNamespaces: "EPERM", noLandlock: "EPERM", noSeccomp: "ESRCH",
                control: "done"),
            Attack(
                "process_vm", "EPERM", noNamespaces: "EPERM", noLandlock: "EPERM",
                noSeccomp: "ESRCH", control: "done"),
            Attack(
                "proc_mem", "ENOENT", noNamespaces: "EACCES", noLandlock: "ENOENT",
                noSeccomp: "ENOENT", control: "done"),
            Attack(
                "proc_environ", "ENOENT", noNamespaces: "EACCES", noLandlock: "ENOENT",
                noSeccomp: "ENOENT", control: "done"),
            Attack(
                "proc_root", "ENOENT", noNamespaces: "EACCES", noLandlock: "ENOENT",
                noSeccomp: "ENOENT", control: "done"),
            // Without namespaces Landlock permits writing in /proc.
            Attack(
                "proc_oom", "ENOENT", noLandlock: "ENOENT", noSeccomp: "ENOENT", control: "done"),
            Attack(
                "proc_descriptors", "ENOENT", noLandlock: "ENOENT", noSeccomp: "ENOENT",
                control: "done"),
            Attack(
                "pidfd_open", "ESRCH", noLandlock: "ESRCH", noSeccomp: "ESRCH", control: "done"),
            // Without a descriptor of the victim it tries an invalid one.
            Attack(
                "pidfd_getfd", "EPERM", noNamespaces: "EPERM", noLandlock: "EPERM",
                noSeccomp: "EBADF", control: "done"),
            Attack(
                "pidfd_kill", "ESRCH", noNamespaces: .landlock(6, "EPERM"), noLandlock: "ESRCH",
                noSeccomp: "ESRCH", control: "done"
            ).changed { $0.isFatal = true },
        ]
        + ["prlimit", "setpriority", "setaffinity", "setscheduler", "ioprio"].map {
            // The filter denies other processes where no PID namespace hides them.
            Attack(
                $0, "ESRCH", noNamespaces: "EPERM", noLandlock: "ESRCH", noSeccomp: "ESRCH",
                control: "done")
        }

    /// Rows 42 and 43: PID 1 of the namespace, and what the worker has from its host.
    static let onHost: [Attack] =
        [
            // The kernel permits the signal, and ignores it.
            Attack(
                "init_kill", .landlock(6, "EPERM"), noNamespaces: "skipped",
                noLandlock: "EPERM|done", noSeccomp: .landlock(6, "EPERM")),
            Attack(
                "init_trace", "EPERM", noNamespaces: "skipped", noLandlock: "EPERM",
                noSeccomp: "EPERM"),
        ]
        + ["init_memory", "init_environ", "init_root", "init_descriptors"].map {
            Attack(
                $0, "EACCES|EROFS", noNamespaces: "skipped", noLandlock: "EACCES|EROFS",
                noSeccomp: "EACCES|EROFS")
        } + [
            // A limit of init affects this worker only.
            Attack(
                "init_limit", "EPERM|done", noNamespaces: "skipped", noLandlock: "EPERM|done",
                noSeccomp: "EPERM|done"),
            // Without namespaces the host's environment is protected by Landlock's check of tracing, and by the host itself.
            Attack(
                "secret", "none", noNamespaces: "none", noLandlock: "none", noSeccomp: "none",
                control: "found"),
            Attack(
                "agents", "none", noNamespaces: "none", noLandlock: "none", noSeccomp: "none",
                control: "SSH_AUTH_SOCK"),
            always("directories", "none"),
            // Row 19, by the working directory.
            Attack(
                "manifest_relative", "EROFS", noNamespaces: "EACCES", noLandlock: "EROFS",
                noSeccomp: "EROFS"),
        ]

    /// What the host would do for a handler. The transfers are not created without confinement: they would remain.
    static let onRequests: [Attack] = [
        always("submit_unconfined", "EPERM").changed { $0.control = "done" },
        always("transfer_write", "EPERM"), always("transfer_read", "EPERM"),
    ]
}
