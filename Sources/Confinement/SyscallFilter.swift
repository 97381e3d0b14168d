// SPDX-License-Identifier: Apache-2.0

import CSeccomp
import Glibc

/// Which system calls a confined process may make, as a seccomp program. It does not depend on the rights of the
/// process, so that it also confines root.
package struct SyscallFilter {
    package struct Rules: Hashable, Sendable {
        /// Whether it may make sockets of IPv4, IPv6 and of the kernel's routes.
        package var internet: Bool
        /// Whether those may have other types than TCP.
        package var udp: Bool
        /// Whether it must not change limits and priorities of other processes: where a PID namespace does not hide them.
        package var protectsOthers: Bool

        package init(internet: Bool, udp: Bool, protectsOthers: Bool) {
            self.internet = internet
            self.udp = udp
            self.protectsOthers = protectsOthers
        }
    }

    private let rules: Rules

    package init(_ rules: Rules) { self.rules = rules }

    /// An array of `sock_filter`, for the processor of this machine; the same bytes each time. It takes about
    /// a millisecond.
    package func program() throws(SyscallFilterFailure) -> [UInt8] {
        let builder = try FilterBuilder()
        for rule in SyscallGroup.allCases.flatMap(\.rules) + ArgumentRules.all
            + SocketRules.all(internet: rules.internet, udp: rules.udp)
            + (rules.protectsOthers ? OtherProcessRules.all : [])
        {
            try builder.add(rule)
        }
        return try Self.start + builder.program()
    }

    /// Calls newer than these rules do not exist. libseccomp cannot compare the number of a call with a limit.
    private static var start: [UInt8] {
        [
            sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: 0),
            sock_filter(
                code: UInt16(BPF_JMP | BPF_JGT | BPF_K), jt: 0, jf: 1, k: SystemCall.newest),
            sock_filter(
                code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0,
                k: bgrun_seccomp_errno(ENOSYS)),
        ].flatMap { withUnsafeBytes(of: $0, Array.init) }
    }
}
