// SPDX-License-Identifier: Apache-2.0

import Glibc

/// System calls that fail whatever their arguments are, in groups of one purpose.
enum SyscallGroup: CaseIterable {
    case mounts, namespaces, otherProcesses, keys, kernel, machine, clock, hardware, fileHandles
    case otherFiles, memory, obsolete
    case uring, uncheckedArguments

    var calls: [SystemCall] {
        switch self {
        // Would replace the files that confinement shows.
        case .mounts:
            [
                "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
                "fsconfig", "fsmount", "fspick", "mount_setattr",
                SystemCall("open_tree_attr", number: 467),
            ]
        // A new user namespace gives all capabilities in it.
        case .namespaces: ["setns", "unshare"]
        // Read, write or compare the memory and descriptors of other processes.
        case .otherProcesses:
            [
                "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
                "pidfd_getfd", "kcmp",
            ]
        // Keyrings belong to the user, and namespaces do not separate them.
        case .keys: ["keyctl", "add_key", "request_key"]
        // Run code in the kernel, or expose much of it.
        case .kernel:
            [
                "bpf", "perf_event_open", "userfaultfd", "init_module", "finit_module",
                "delete_module", "kexec_load", "kexec_file_load",
            ]
        // Change the machine for all processes.
        case .machine:
            [
                "reboot", "swapon", "swapoff", "acct", "syslog", "vhangup", "sethostname",
                "setdomainname",
            ]
        case .clock: ["settimeofday", "clock_settime", "clock_adjtime", "adjtimex"]
        case .hardware: ["iopl", "ioperm", "modify_ldt"]
        // Opens files without their path, and so without the rights to it.
        case .fileHandles: ["open_by_handle_at"]
        // Limits of other users, events of files of other processes.
        case .otherFiles: ["quotactl", "quotactl_fd", "fanotify_init"]
        // Move the memory of other processes between processors.
        case .memory: ["move_pages", "migrate_pages"]
        case .obsolete: ["nfsservctl", "lookup_dcookie", "uselib", "ustat"]
        // Its requests are system calls that no filter sees.
        case .uring: ["io_uring_setup", "io_uring_enter", "io_uring_register"]
        // Take their flags in memory, where a filter cannot read them; programs use clone and openat instead.
        case .uncheckedArguments: ["clone3", "openat2"]
        }
    }

    /// The errno value of a failed call: ENOSYS for calls that programs replace by older ones.
    private var code: Int32 {
        switch self {
        case .uring, .uncheckedArguments: ENOSYS
        default: EPERM
        }
    }

    var rules: [SyscallRule] { calls.map { SyscallRule($0, code: code) } }
}
