// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Which sockets a process may make.
enum SocketRules {
    private static let local: UInt64 = 1
    private static let internet: [UInt64] = [2, 10]
    private static let netlink: UInt64 = 16
    /// The bits of a socket's type without its flags.
    private static let type: UInt64 = 0xF

    static func all(internet isAllowed: Bool, udp: Bool) -> [SyscallRule] {
        guard isAllowed else {
            return [SyscallRule("socket", .argument(0, isNot: local), code: EAFNOSUPPORT)]
        }
        return families + protocols + fastOpen + (udp ? [] : datagrams)
    }

    /// UNIX, INET, INET6 and NETLINK_ROUTE remain. A packet socket is also made by INET with the type SOCK_PACKET (10).
    private static var families: [SyscallRule] {
        let gaps = (local...netlink).filter {
            $0 != local && $0 != netlink && !internet.contains($0)
        }
        return [
            SyscallRule("socket", .argument(0, below: local), code: EAFNOSUPPORT),
            SyscallRule("socket", .argument(0, above: netlink), code: EAFNOSUPPORT),
            SyscallRule(
                "socket", .argument(0, is: netlink), .argument(2, isNot: 0), code: EAFNOSUPPORT),
            SyscallRule(
                "socket", .argument(0, is: 2), .argument(1, masked: type, is: 10),
                code: EAFNOSUPPORT),
        ] + gaps.map { SyscallRule("socket", .argument(0, is: $0), code: EAFNOSUPPORT) }
    }

    /// Streams other than TCP (0 and 6): Landlock's rules of ports do not apply to MPTCP and SCTP.
    private static var protocols: [SyscallRule] {
        internet.flatMap { family in
            let others: [SyscallRule.Condition] =
                (1...5).map { .argument(2, is: $0) } + [.argument(2, above: 6)]
            return others.map {
                SyscallRule(
                    "socket", .argument(0, is: family), .argument(1, masked: type, is: 1), $0,
                    code: EPROTONOSUPPORT)
            }
        }
    }

    /// A message with MSG_FASTOPEN connects, and Linux 6.18 does not ask Landlock about its port.
    private static var fastOpen: [SyscallRule] {
        let calls: [(SystemCall, UInt32)] = [("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)]
        return calls.map { SyscallRule($0, .argument($1, has: 0x2000_0000), code: EOPNOTSUPP) }
    }

    /// SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_SEQPACKET and SOCK_DCCP.
    private static var datagrams: [SyscallRule] {
        internet.flatMap { family in
            (2...6).map {
                SyscallRule(
                    "socket", .argument(0, is: family), .argument(1, masked: type, is: $0),
                    code: EACCES)
            }
        }
    }
}
