// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import Glibc
import Testing

@Suite("System calls that fail for some arguments", .timeLimit(.minutes(10)))
struct ArgumentRuleTests {
    @Test("clone fails with each flag of a namespace")
    func clone() throws {
        let signal = UInt64(SIGCHLD)
        let flags = [17, 25, 26, 27, 28, 29, 30].map { UInt64(1) << $0 }
        try SyscallProbe.expect(
            flags.map { Call("clone", $0 | signal, 0, 0, 0, 0, fails: EPERM) }
                + [
                    Call("clone", 0x7E02_0000 | signal, 0, 0, 0, 0, fails: EPERM),
                    Call("clone", signal, 0, 0, 0, 0, fails: nil),
                    // CLONE_PARENT_SETTID and others of fork and threads.
                    Call("clone", 0x0120_0000 | signal, 0, 0, 0, 0, fails: nil),
                ], .open)
    }

    @Test("TIOCSTI and TIOCLINUX fail, also with upper bits that the kernel ignores")
    func terminals() throws {
        let bad = UInt64.max
        let upper: UInt64 = 0xABCD_0000_0000
        try SyscallProbe.expect(
            [
                Call("ioctl", bad, 0x5412, fails: EPERM),
                Call("ioctl", bad, 0x5412 | upper, fails: EPERM),
                Call("ioctl", bad, 0x541C, fails: EPERM),
                Call("ioctl", bad, 0x541C | upper, fails: EPERM),
                // TIOCGWINSZ, FIONREAD.
                Call("ioctl", bad, 0x5413, fails: nil), Call("ioctl", bad, 0x541B, fails: nil),
            ], .open)
    }

    @Test("no call makes a set-ID file")
    func setID() throws {
        let bad = UInt64.max
        let files: [(String, Int, [UInt64])] = [
            ("chmod", 1, [bad]), ("fchmod", 1, [bad]), ("fchmodat", 2, [bad, bad]),
            ("fchmodat2", 2, [bad, bad]), ("creat", 1, [bad]), ("mknod", 1, [bad]),
            ("mknodat", 2, [bad, bad]), ("open", 2, [bad, 0o100]),
            ("openat", 3, [bad, bad, 0o101]),
            ("open", 2, [bad, 0o20_200_002]), ("openat", 3, [bad, bad, 0o20_200_002]),
        ]
        for (name, index, before) in files {
            let calls = [0o4755, 0o2755, 0o6000, 0o104_755, 0o755, 0o1777].map { mode in
                var call = Call(name, fails: mode & 0o6000 == 0 ? nil : EPERM)
                call.arguments = before + [UInt64(mode)]
                return call
            }
            #expect(index == before.count)
            try SyscallProbe.expect(calls, .open)
        }
        // Without O_CREAT the mode has no meaning.
        try SyscallProbe.expect(
            [
                Call("openat", bad, bad, 0, 0o4755, fails: nil),
                Call("openat", bad, bad, 0o2_000_000, bad, fails: nil),
            ], .open)
    }

    @Test(
        "personality accepts 0, PER_LINUX32 and the query, and neither ADDR_NO_RANDOMIZE nor others"
    )
    func personality() throws {
        let upper: UInt64 = 0xFFFF_FFFF_0000_0000
        let permitted: [UInt64] = [0, 8, 0xFFFF_FFFF]
        let denied: [UInt64] = [
            0x0004_0000, 0x0004_0008, 0x0002_0000, 0x0040_0000, 1, 9, 0x8000_0000, 0xFFFF_FFFE,
            0xFFFB_FFFF, 0x7FFF_FFFF,
        ]
        try SyscallProbe.expect(
            permitted.flatMap {
                [
                    Call("personality", $0, fails: nil),
                    Call("personality", $0 | upper, fails: nil),
                ]
            }
                + denied.flatMap {
                    [
                        Call("personality", $0, fails: EPERM),
                        Call("personality", $0 | upper, fails: EPERM),
                    ]
                }, .open)
    }

    @Test("without a PID namespace, limits and priorities of another process fail, its own do not")
    func others() throws {
        let calls: [(name: String, own: [UInt64], others: [[UInt64]])] = [
            ("prlimit64", [0, 7, 0, 0], [[1, 7, 0, 0], [.max, 7, 0, 0]]),
            ("sched_setaffinity", [0, 0, 0], [[1, 0, 0], [UInt64(UInt32.max), 0, 0]]),
            ("sched_setscheduler", [0, 0, 0], [[1, 0, 0]]),
            ("sched_setparam", [0, 0], [[1, 0]]),
            ("sched_setattr", [0, 0, 0], [[1, 0, 0]]),
            // PRIO_PROCESS, PRIO_PGRP, PRIO_USER.
            ("setpriority", [0, 0, 0], [[0, 1, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0]]),
            // IOPRIO_WHO_PROCESS and related; an invalid class.
            (
                "ioprio_set", [1, 0, 0xFFFF],
                [[1, 1, 0xFFFF], [2, 0, 0xFFFF], [3, 0, 0xFFFF], [3, 1, 0xFFFF]]
            ),
        ]
        for (name, own, others) in calls {
            var call = Call(name, fails: nil)
            call.arguments = own
            try SyscallProbe.expect([call], .shared)
            for other in others {
                call = Call(name, fails: EPERM)
                call.arguments = other
                try SyscallProbe.expect([call], .shared)
            }
        }
        try SyscallProbe.expect([Call("getpgid", 1, fails: nil)], .shared)
        try SyscallProbe.expect([Call("prlimit64", 1, 7, 0, 0, fails: nil)], .open)
    }
}
