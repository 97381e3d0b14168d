// SPDX-License-Identifier: Apache-2.0

/// EXPECTATIONS: correct a row here if the promise itself was wrong, with the reason.
extension Attack {
    /// Rows 22 to 27: sockets.
    static let onNetwork: [Attack] = [
        // Without namespaces the host refuses by itself callers below its workers: `refused`.
        Attack(
            "control_request", "ENOENT|EACCES", noNamespaces: "refused",
            noLandlock: "ENOENT|EACCES", noSeccomp: "ENOENT|EACCES", control: "done"),
        // Landlock covers paths of sockets from ABI 9 on.
        Attack(
            "unix_connect", "ENOENT|EACCES", noLandlock: "ENOENT|EACCES",
            noSeccomp: "ENOENT|EACCES", control: "done"),
        Attack(
            "abstract_connect", .landlock(6, "EPERM"), noNamespaces: .landlock(6, "EPERM"),
            noSeccomp: .landlock(6, "EPERM"), control: "done"),
        Attack(
            "tcp_listen", .landlock(4, "EACCES"), noNamespaces: .landlock(4, "EACCES"),
            noSeccomp: .landlock(4, "EACCES")),
        // Neither Landlock nor the filter can deny it while connections are permitted.
        Attack("tcp_listen_unbound", nil),
        // The default profile permits connections.
        Attack(
            "tcp_connect", "done", noNamespaces: "done", noLandlock: "done", noSeccomp: "done",
            control: "done"),
        Attack(
            "udp_send", "done", noNamespaces: "done", noLandlock: "done", noSeccomp: "done",
            control: "done"),
        Attack(
            "tcp_connect_unlisted", .landlock(4, "EACCES"), noNamespaces: .landlock(4, "EACCES"),
            noSeccomp: .landlock(4, "EACCES")
        ).changed {
            $0.attack = "tcp_connect"
            $0.confine = "network: {connect: [1]}"
        },
        offline("tcp_connect", noSeccomp: "ENETUNREACH|EACCES"),
        offline("udp_send", noSeccomp: "ENETUNREACH"), offline("tcp6_socket"),
        offline("route_socket"),
        always("raw_socket", "EPERM|EAFNOSUPPORT|ESOCKTNOSUPPORT"),
        always("packet_socket", "EPERM|EAFNOSUPPORT"),
        denied("vsock_socket", "EAFNOSUPPORT"), denied("alg_socket", "EAFNOSUPPORT"),
        denied("alg_socket_high", "EAFNOSUPPORT"),
        // NETLINK_ROUTE alone is permitted; the error depends on the filter.
        denied("audit_socket", "EAFNOSUPPORT|EPERM|EPROTONOSUPPORT"),
        denied("uevent_socket", "EAFNOSUPPORT|EPERM|EPROTONOSUPPORT"),
    ]

    /// Rows 28 to 31 and 53: system calls.
    static let onKernel: [Attack] =
        [
            "mount", "umount_guard", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen",
            "fsmount", "fspick",
        ].map { denied($0, noSeccomp: "EPERM") }
        + [
            "mount_setattr", "setns", "unshare", "clone_user", "clone_user_high", "kcmp", "bpf",
            "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "init_module",
            "finit_module", "delete_module", "kexec_load", "quotactl", "settimeofday",
            "clock_settime", "open_by_handle_at", "move_pages", "personality", "tiocsti",
            "tiocsti_high", "tioclinux",
        ].map { denied($0) }
        // Without namespaces there is no terminal of its own.
        + [
            Attack("tiocsti_own", "EPERM", noNamespaces: "EACCES", noLandlock: "EPERM")
        ]
        + [
            "clone_any", "reboot", "swapon", "swapoff", "fanotify_init", "acct", "vhangup",
            "sethostname",
        ].map { denied($0, noSeccomp: "EPERM") }
        // The setting kernel.dmesg_restrict decides without the filter.
        + [denied("syslog")]
        + ["io_uring_setup", "io_uring_enter", "clone3"].map { denied($0, "ENOSYS") }
        + [always("threads", "done"), always("unknown", "ENOSYS")] + ofArchitecture

    #if arch(x86_64)
        private static let ofArchitecture: [Attack] = [
            denied("iopl"), denied("modify_ldt"), denied("x32", "ENOSYS"),
            // SIGSEGV: the kernel does not support 32-bit programs.
            denied("ia32", "ENOSYS|SIGSEGV|SIGSYS"),
        ]
    #else
        private static let ofArchitecture: [Attack] = []
    #endif

    /// Rows 40 and 49: more rights.
    static let onPrivileges: [Attack] = [
        beside("set_id"), beside("set_id_by_file"), beside("set_id_by_new_call"),
        beside("set_id_by_open"),
        beside("file_capability", noSeccomp: "EPERM"), always("run_set_id", "none"),
        always("no_new_privileges", "1"), always("capabilities", "none"),
        always("core_dump", "0").changed { $0.needsLimits = true },
        always("real_time", "EPERM"), always("high_priority", "EPERM"),
        always("raise_files", "EPERM").changed { $0.needsLimits = true },
        always("raise_tasks", "EPERM").changed { $0.needsLimits = true }
            // Root's processes are not limited.
            .forRoot(nil),
        // EINVAL: the namespace has no such user.
        Attack(
            "become_root", "EINVAL|EPERM", noNamespaces: "EPERM", noLandlock: "EINVAL|EPERM",
            noSeccomp: "EINVAL|EPERM"
        ).forRoot(nil),
    ]

    /// Rows 36, 37, 39, 47 and 48: limits.
    static let onLimits: [Attack] =
        ["fill_temporary", "fill_var_temporary", "fill_shared_memory"].map {
            Attack($0, "ENOSPC", noLandlock: "ENOSPC", noSeccomp: "ENOSPC")
                .changed { $0.confine = "temporary: 16MiB" }
        } + [
            Attack("fork_bomb", "EAGAIN", noLandlock: "EAGAIN", noSeccomp: "EAGAIN").changed {
                $0.needsLimits = true
                $0.confine = "tasks: 64"
                $0.most = 64
            }
            // Root's processes are not limited. They end with the attempt.
            .forRoot(nil),
            always("open_files", "EMFILE").changed {
                $0.needsLimits = true
                $0.confine = "files: 256"
                $0.most = 256
            },
            Attack("large_file", "EFBIG", noLandlock: "EFBIG", noSeccomp: "EFBIG").changed {
                $0.needsLimits = true
                $0.confine = "file_size: 1MiB"
            },
            Attack("large_file_signal", "SIGXFSZ", noLandlock: "SIGXFSZ", noSeccomp: "SIGXFSZ")
                .changed {
                    $0.needsLimits = true
                    $0.confine = "file_size: 1MiB"
                },
            // EFBIG: of a file system with smaller files.
            Attack(
                "sparse_file", "done|EFBIG", noLandlock: "done|EFBIG", noSeccomp: "done|EFBIG"),
            Attack(
                "many_files", "done", noNamespaces: "skipped", noLandlock: "done",
                noSeccomp: "done"),
            Attack(
                "deep_directories", "done", noNamespaces: "skipped", noLandlock: "done",
                noSeccomp: "done"),
            denied("denied_calls", "refused"),
            // Processes that outlive it are killed.
            always("leave_processes", "done"),
        ]

    static let all =
        onProcesses + onHost + onRequests + onStore + onManifest + onSystem + onNetwork + onKernel
        + onPrivileges + onLimits

    /// A call for a new file beside the manifest, which cannot be created without namespaces.
    private static func beside(_ name: String, noSeccomp: Answers? = nil) -> Attack {
        Attack(
            name, "EPERM|ENOSYS", noNamespaces: "EACCES", noLandlock: "EPERM|ENOSYS",
            noSeccomp: noSeccomp)
    }

    private static func offline(_ attack: String, noSeccomp: Answers? = nil) -> Attack {
        denied("\(attack)_offline", "EAFNOSUPPORT", noSeccomp: noSeccomp).changed {
            $0.attack = attack
            $0.confine = "network: none"
        }
    }
}
