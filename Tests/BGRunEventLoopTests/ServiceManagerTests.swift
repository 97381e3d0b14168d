// SPDX-License-Identifier: Apache-2.0

import BGRunTestMachine
import CBGRunShims
import Glibc
import Testing

@testable import BGRunEventLoop

@Suite("Messages to the service manager", .timeLimit(.minutes(5)))
struct ServiceManagerTests {
    @Test("readiness, reloads and the end arrive at the socket", arguments: [false, true])
    func states(isAbstract: Bool) throws {
        let receiver = try DatagramReceiver(isAbstract: isAbstract)
        let loop = try EventLoop()
        let manager = try #require(
            try ServiceManager(loop, ServiceManager.Variables(socket: receiver.name)))
        manager.ready("3 apps")
        manager.say("3 apps")
        manager.say("4 apps")
        manager.reloading()
        manager.ready("4 apps")
        manager.stopping("ending")
        let texts = receiver.texts
        try #require(texts.count == 5)
        #expect(texts[0] == "READY=1\nSTATUS=3 apps")
        #expect(texts[1] == "STATUS=4 apps", "what it knows it is not told again")
        let lines = texts[2].split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == "RELOADING=1")
        #expect(lines[1].hasPrefix("MONOTONIC_USEC="))
        #expect(lines[1].split(separator: "=").last.flatMap { Int64($0) } ?? 0 > 0)
        #expect(texts[3] == "READY=1\nSTATUS=4 apps")
        #expect(texts[4] == "STOPPING=1\nSTATUS=ending")
    }

    @Test(
        "there are no messages without a socket or with an invalid address",
        arguments: [nil, "", "x", "/"])
    func none(name: String?) throws {
        let loop = try EventLoop()
        #expect(try ServiceManager(loop, ServiceManager.Variables(socket: name)) == nil)
    }

    @Test("watchdog messages are sent only while the loop runs")
    func watchdog() throws {
        let receiver = try DatagramReceiver(isAbstract: true)
        let loop = try EventLoop()
        let manager = try #require(
            try ServiceManager(
                loop, ServiceManager.Variables(socket: receiver.name, watchdog: "2000")))
        #expect(receiver.texts == ["WATCHDOG=1"])
        // Another loop runs for the time of three intervals.
        let other = try EventLoop()
        let wait = try LoopTimer(other) { other.stop() }
        wait.set(elapsed: bgrun_boottime_ns() + 3_500_000)
        other.run()
        #expect(receiver.texts == [])
        let timer = try LoopTimer(loop) { loop.stop() }
        var signs: [String] = []
        while signs.count < 3 {
            timer.set(elapsed: 1)
            loop.run()
            signs += receiver.texts
        }
        #expect(signs.allSatisfy { $0 == "WATCHDOG=1" })
        withExtendedLifetime(manager) {}
    }

    @Test(
        "watchdog messages are sent twice per interval if they are for this process",
        arguments: [
            ("10000000", nil, 5_000_000_000), ("10000000", "42", 5_000_000_000),
            ("10000000", "43", nil), (nil, "42", nil), ("0", nil, nil), ("x", nil, nil),
            ("99999999999999999999", nil, nil),
        ] as [(String?, String?, Int64?)])
    func interval(watchdog: String?, watched: String?, expected: Int64?) {
        let variables = ServiceManager.Variables(
            socket: "@x", watchdog: watchdog, watched: watched)
        #expect(variables.interval(of: 42) == expected)
    }
}
