// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import Glibc
import Testing

@Suite("Sockets that a confined process can make", .timeLimit(.minutes(10)))
struct SocketRuleTests {
    private static let stream: UInt64 = 1
    private static let datagram: UInt64 = 2
    private static let raw: UInt64 = 3
    /// SOCK_CLOEXEC | SOCK_NONBLOCK.
    private static let flags: UInt64 = 0o2_004_000

    @Test("with internet: UNIX, INET, INET6 and routes; each other family fails")
    func families() throws {
        let others = (0...50).filter { ![1, 2, 10, 16].contains($0) }.map(UInt64.init)
        try SyscallProbe.expect(
            others.map { Call("socket", $0, Self.raw, 0, fails: EAFNOSUPPORT) }
                + [
                    Call("socket", 1, Self.stream, 0, fails: nil),
                    Call("socket", 1, Self.datagram | Self.flags, 0, fails: nil),
                    Call("socket", 2, Self.stream | Self.flags, 6, fails: nil),
                    Call("socket", 2, Self.datagram, 17, fails: nil),
                    Call("socket", 2, Self.raw, 1, fails: nil),
                    Call("socket", 10, Self.stream, 0, fails: nil),
                    Call("socket", 10, Self.datagram, 0, fails: nil),
                    Call("socket", 16, Self.raw | Self.flags, 0, fails: nil),
                    // NETLINK_AUDIT, NETLINK_KOBJECT_UEVENT.
                    Call("socket", 16, Self.raw, 9, fails: EAFNOSUPPORT),
                    Call("socket", 16, Self.raw, 15, fails: EAFNOSUPPORT),
                    // AF_VSOCK with upper bits that the kernel ignores.
                    Call("socket", 40 | 1 << 32, Self.stream, 0, fails: EAFNOSUPPORT),
                    // SOCK_PACKET, the old way to a packet socket.
                    Call("socket", 2, 10, 0x300, fails: EAFNOSUPPORT),
                    Call("socket", 2, 10 | Self.flags, 0x300, fails: EAFNOSUPPORT),
                    Call("socketpair", 1, Self.stream, 0, 0, fails: nil),
                ], .open)
    }

    @Test("without internet only UNIX sockets remain")
    func offline() throws {
        for rules in SyscallFilter.Rules.all where !rules.internet {
            try SyscallProbe.expect(
                [
                    Call("socket", 1, Self.stream, 0, fails: nil),
                    Call("socketpair", 1, Self.stream, 0, 0, fails: nil),
                ]
                    + [2, 10, 16, 17, 40].map {
                        Call("socket", $0, Self.datagram, 0, fails: EAFNOSUPPORT)
                    }, rules)
        }
    }

    @Test("without UDP, the internet has TCP only")
    func datagrams() throws {
        try SyscallProbe.expect(
            [2, 10].flatMap { family in
                [
                    Call("socket", family, Self.stream, 0, fails: nil),
                    Call("socket", family, Self.stream | Self.flags, 6, fails: nil),
                ]
                    + (2...6).flatMap { type in
                        [
                            Call("socket", family, type, 0, fails: EACCES),
                            Call("socket", family, type | Self.flags, 17, fails: EACCES),
                        ]
                    }
            }
                + [
                    Call("socket", 1, Self.datagram, 0, fails: nil),
                    Call("socket", 16, Self.datagram, 0, fails: nil),
                ], .withoutUDP)
    }

    @Test("a stream of the internet is TCP, whose ports Landlock checks: not MPTCP, not SCTP")
    func streams() throws {
        let bad = UInt64.max
        try SyscallProbe.expect(
            [2, 10].flatMap { family in
                [1, 5, 7, 132, 262, bad].map {
                    Call("socket", family, Self.stream | Self.flags, $0, fails: EPROTONOSUPPORT)
                }
            }, .open)
    }

    @Test("a message that connects fails, because Landlock does not check its port")
    func fastOpen() throws {
        let bad = UInt64.max
        let flag: UInt64 = 0x2000_0000
        try SyscallProbe.expect(
            [
                Call("sendto", bad, bad, 0, flag, 0, 0, fails: EOPNOTSUPP),
                Call("sendto", bad, bad, 0, flag | 0x4000, 0, 0, fails: EOPNOTSUPP),
                Call("sendmsg", bad, bad, flag, fails: EOPNOTSUPP),
                Call("sendmmsg", bad, bad, 0, flag, fails: EOPNOTSUPP),
                // MSG_NOSIGNAL.
                Call("sendto", bad, bad, 0, 0x4000, 0, 0, fails: nil),
                Call("sendmsg", bad, bad, 0x4000, fails: nil),
                Call("sendmmsg", bad, bad, 0, 0x4000, fails: nil),
            ], .open)
    }
}
