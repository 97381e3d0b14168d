// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import Glibc
import Testing

@testable import BGRunDevice

@Suite("Captured netlink messages", .timeLimit(.minutes(10)))
struct NetlinkTests {
    /// RTM_NEWROUTE: default via 10.9.9.2 dev v0 (index 3), table main.
    static let added =
        "34000000180000067a63016b7d27000002000000fe0300010000000008000f00fe000000080005000a090902"
        + "0800040003000000"
    /// RTM_NEWROUTE: unreachable default dev lo metric 9999.
    static let unreachable =
        "60000000180000067a63016b7e2700000a000000fe0300070000000008000f00fe000000080006000f270000"
        + "080004000100000024000c000000000000000000000000000000000000000000000000000000000000000000"
        + "0500140000000000"
    /// RTM_DELROUTE of the first route.
    static let removed =
        "34000000190000007a63016b8027000002000000fe0300010000000008000f00fe000000080005000a090902"
        + "0800040003000000"
    /// RTM_NEWROUTE: 10.9.9.0/24 dev v0.
    static let local =
        "3c00000018000200000000004d27000002180000fe02fd010000000008000f00fe000000080001000a090900"
        + "080007000a0909010800040003000000"
    static let done = "1400000003000200000000004d27000000000000"

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        var digits = hexadecimal[...]
        var bytes: [UInt8] = []
        while let byte = UInt8(digits.prefix(2), radix: 16) {
            bytes.append(byte)
            digits = digits.dropFirst(2)
        }
        return bytes
    }

    @Test(
        "each message is decoded",
        arguments: [
            (added, [.defaultRoute(via: 3)]), (removed, [.defaultRouteGone]), (unreachable, []),
            (local, []), (done, [.done]), (local + added + done, [.defaultRoute(via: 3), .done]),
            ("", []),
        ] as [(String, [RouteMessage])])
    func routes(hexadecimal: String, messages: [RouteMessage]) {
        #expect(RouteMessage.all(in: Self.bytes(hexadecimal)[...]) == messages)
    }

    /// RTM_NEWLINK of index 3 with `flags`, called v0.
    private static func link(flags: String) -> [UInt8] {
        bytes(
            "280000001000000000000000000000000000010003000000" + flags + "00000000"
                + "0700030076300000")
    }

    @Test("a link is up when it is switched on and has a carrier")
    func links() {
        #expect(
            RouteMessage.all(in: Self.link(flags: "43100100")[...])
                == [.link(index: 3, name: "v0", isUp: true)])
        #expect(
            RouteMessage.all(in: Self.link(flags: "03100000")[...])
                == [.link(index: 3, name: "v0", isUp: false)])
    }

    @Test("a message that is cut or has a wrong length is read up to the fault")
    func damaged() {
        let whole = Self.bytes(Self.added)
        for length in whole.indices {
            #expect(RouteMessage.all(in: whole[..<length]).isEmpty)
        }
        for index in 0..<4 {
            var bytes = whole
            bytes[index] = 0xFF
            #expect(RouteMessage.all(in: bytes[...]).isEmpty)
        }
        for index in whole.indices.dropFirst(4) {
            var bytes = whole
            bytes[index] ^= 0xFF
            #expect(RouteMessage.all(in: bytes[...]).count <= 1)
        }
    }

    private static let powerEvent =
        "change@/devices/pci0/ACPI0003:00/power_supply/AC\0ACTION=change\0"
        + "DEVPATH=/devices/pci0/ACPI0003:00/power_supply/AC\0SUBSYSTEM=power_supply\0"
        + "POWER_SUPPLY_NAME=AC\0POWER_SUPPLY_ONLINE=1\0SEQNUM=4711\0"

    @Test("a kernel event has the action and the device")
    func uevent() {
        #expect(
            Uevent(Self.powerEvent.utf8)
                == Uevent(
                    action: "change", subsystem: "power_supply",
                    devicePath: "/devices/pci0/ACPI0003:00/power_supply/AC"))
    }

    @Test(
        "other messages are not kernel events",
        arguments: [
            "", "libudev\0\u{FE}\u{ED}\u{CA}\u{FE}", "change@/devices/x\0ACTION=change\0",
            "change@/x\0=\0\0", "SUBSYSTEM=power_supply\0ACTION=change\0DEVPATH=/x\0",
        ])
    func noUevent(text: String) {
        #expect(Uevent(text.utf8) == nil)
    }

    /// Root may make the kernel announce this device again, which changes nothing.
    private static let trigger = "/sys/class/mem/null/uevent"

    @Test(
        "an event of the kernel arrives",
        .enabled(if: geteuid() == 0 && access(trigger, W_OK) == 0))
    func realUevent() throws {
        let loop = try EventLoop()
        var seen: [Uevent] = []
        let socket = try NetlinkSocket(loop, protocol: NETLINK_KOBJECT_UEVENT, groups: 1) { bytes in
            guard let event = bytes.flatMap({ Uevent($0) }), event.subsystem == "mem" else {
                return
            }
            seen.append(event)
            loop.stop()
        }
        let file = open(Self.trigger, O_WRONLY)
        try #require(write(file, "change", 6) == 6)
        close(file)
        let limit = try Deadline(loop)
        loop.run()
        withExtendedLifetime((socket, limit)) {}
        #expect(
            seen == [
                Uevent(action: "change", subsystem: "mem", devicePath: "/devices/virtual/mem/null")
            ])
    }

    @Test("the network is unknown until the kernel has reported every link and every route")
    func phases() throws {
        let loop = try EventLoop()
        var changes = 0
        // The loop does not run: the tracker receives only the messages of this test.
        let tracker = try RouteTracker(loop) { changes += 1 }
        tracker.receive((Self.link(flags: "43100100") + Self.bytes(Self.done))[...])
        #expect(tracker.network == nil && changes == 0)
        tracker.receive(Self.bytes(Self.added)[...])
        #expect(tracker.network == nil && changes == 0)
        tracker.receive(Self.bytes(Self.done)[...])
        #expect(tracker.network == RoutedNetwork(defaultRoute: "v0") && changes == 1)
    }

    @Test("after lost messages, only the routes of the next answer count")
    func lostMessages() throws {
        let loop = try EventLoop()
        let tracker = try RouteTracker(loop) {}
        tracker.receive((Self.link(flags: "43100100") + Self.bytes(Self.done))[...])
        tracker.receive((Self.bytes(Self.added) + Self.bytes(Self.done))[...])
        #expect(tracker.network == RoutedNetwork(defaultRoute: "v0"))
        tracker.receive(nil)
        tracker.receive((Self.link(flags: "43100100") + Self.bytes(Self.done))[...])
        tracker.receive(Self.bytes(Self.done)[...])
        #expect(tracker.network == RoutedNetwork(defaultRoute: nil))
    }

    @Test("the first answer of the kernel has all routes")
    func realRoutes() throws {
        let loop = try EventLoop()
        var isKnown = false
        let tracker = try RouteTracker(loop) {
            isKnown = true
            loop.stop()
        }
        let limit = try Deadline(loop)
        loop.run()
        withExtendedLifetime(limit) {}
        #expect(isKnown && tracker.network != nil)
    }
}
