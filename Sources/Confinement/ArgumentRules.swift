// SPDX-License-Identifier: Apache-2.0

import Glibc

/// System calls that fail for some of their arguments, in every confined process.
enum ArgumentRules {
    static var all: [SyscallRule] { namespaces + terminals + setID + personality }

    /// The bits CLONE_NEW* of clone: all but CLONE_NEWTIME, which is part of the signal there.
    private static let namespaces: [SyscallRule] = [
        0x0002_0000, 0x0200_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
    ].map { SyscallRule("clone", .argument(0, has: $0)) }

    /// TIOCSTI and TIOCLINUX: they type into the terminal for the shell that reads from it next.
    private static let terminals: [SyscallRule] = [0x5412, 0x541C].map {
        SyscallRule("ioctl", .argument(1, masked: 0xFFFF_FFFF, is: $0))
    }

    /// A file with a set-ID bit gives the rights of its owner to every user that executes it.
    private static let setID: [SyscallRule] = {
        let modes: [(SystemCall, UInt32)] = [
            ("chmod", 1), ("fchmod", 1), ("fchmodat", 2), (SystemCall("fchmodat2", number: 452), 2),
            ("creat", 1), ("mknod", 1), ("mknodat", 2),
        ]
        // The argument of the mode follows that of the flags, and counts with O_CREAT or O_TMPFILE only.
        let flags: [(SystemCall, UInt32)] = [("open", 1), ("openat", 2)]
        return [0o4000, 0o2000].flatMap { bit in
            modes.map { SyscallRule($0, .argument($1, has: bit)) }
                + flags.flatMap { call, index in
                    [0o100, 0o20_000_000].map {
                        SyscallRule(call, .argument(index, has: $0), .argument(index + 1, has: bit))
                    }
                }
        }
    }()

    /// All values but 0, PER_LINUX32 (8) and the query 0xFFFFFFFF: without ADDR_NO_RANDOMIZE and related flags. libseccomp
    /// compares an argument once in a rule, so there is a rule for each wrong bit of values below and from 0x80000000.
    private static let personality: [SyscallRule] = {
        let top: UInt64 = 1 << 31
        let below = (0..<31).map { UInt64(1) << $0 }
        let masks = below.map { (top | $0, top) } + below.filter { $0 != 8 }.map { (top | $0, $0) }
        return masks.map { SyscallRule("personality", .argument(0, masked: $0, is: $1)) }
    }()
}
