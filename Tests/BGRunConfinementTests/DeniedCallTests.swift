// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import Glibc
import Testing

@Suite("System calls that always fail", .timeLimit(.minutes(10)))
struct DeniedCallTests {
    static let notPermitted = [
        "mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "open_tree_attr",
        "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "setns", "unshare", "ptrace",
        "process_vm_readv", "process_vm_writev", "process_madvise", "pidfd_getfd", "kcmp", "bpf",
        "perf_event_open", "userfaultfd", "keyctl", "add_key", "request_key", "init_module",
        "finit_module", "delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon",
        "swapoff", "quotactl", "quotactl_fd", "settimeofday", "clock_settime", "clock_adjtime",
        "adjtimex", "iopl", "ioperm", "modify_ldt", "open_by_handle_at", "fanotify_init",
        "move_pages", "migrate_pages", "syslog", "vhangup", "acct", "nfsservctl",
        "lookup_dcookie", "uselib", "ustat", "sethostname", "setdomainname",
    ]
    static let missing = [
        "clone3", "openat2", "io_uring_setup", "io_uring_enter", "io_uring_register",
    ]

    @Test("a process gets EPERM or ENOSYS, with all rules", arguments: SyscallFilter.Rules.all)
    func denied(rules: SyscallFilter.Rules) throws {
        // The kernel would refuse these arguments.
        let bad = UInt64.max
        func calls(_ names: [String], fail code: Int32) -> [Call] {
            names.map { Call($0, bad, bad, bad, bad, bad, bad, fails: code) }
        }
        try SyscallProbe.expect(
            calls(Self.notPermitted, fail: EPERM) + calls(Self.missing, fail: ENOSYS), rules)
    }

    @Test(
        "calls that ordinary programs make are left to the kernel",
        arguments: SyscallFilter.Rules.all)
    func permitted(rules: SyscallFilter.Rules) throws {
        try SyscallProbe.expect(
            [
                Call("getpid", fails: nil), Call("getpgid", 0, fails: nil),
                Call("setpgid", 0, 0, fails: nil), Call("prlimit64", 0, 7, 0, 0, fails: nil),
                Call("setpriority", 0, 0, 0, fails: nil),
                Call("personality", 0xFFFF_FFFF, fails: nil),
                // AF_UNIX.
                Call("socket", 1, 1, 0, fails: nil),
                // landlock_create_ruleset: asks for the version. seccomp: asks for an action.
                Call("landlock_create_ruleset", 0, 0, 1, fails: nil),
                Call("name_to_handle_at", .max, 0, 0, 0, 0, fails: nil),
                Call("mbind", 0, 0, 0, 0, 0, 0, fails: nil),
                Call("set_mempolicy", 0, 0, 0, fails: nil),
                Call("seccomp", 2, 0, 0, fails: nil),
            ], rules)
    }

    @Test("processes and threads start, although clone3 fails", arguments: SyscallFilter.Rules.all)
    func threads(rules: SyscallFilter.Rules) throws {
        let answers = try SyscallProbe.run(
            [Call("fork", fails: nil), Call("thread", fails: nil)], rules, isMarked: false)
        #expect(answers.map(\.answer.result) == [7, 0])
    }

    @Test("calls of 32-bit programs, of x32 and of later kernels do not exist")
    func foreign() throws {
        try SyscallProbe.expect(
            [
                Call("470", 0, fails: ENOSYS), Call("1023", 0, fails: ENOSYS),
                // getpid of x32.
                Call("\(0x4000_0000 + 39)", fails: ENOSYS),
                Call("\(UInt32.max)", fails: ENOSYS),
            ], .open)
        #if arch(x86_64)
            // A kernel without 32-bit calls kills the child: -1.
            let answer = try #require(
                try SyscallProbe.run([Call("ia32", fails: ENOSYS)], .open).first?.answer)
            #expect(answer.isOfFilter ? answer.code == ENOSYS : answer.code == -1, "\(answer)")
        #endif
    }
}
