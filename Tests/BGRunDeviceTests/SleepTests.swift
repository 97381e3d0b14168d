// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunTestMachine
import Testing

@testable import BGRunDevice

@Suite("Sleep", .timeLimit(.minutes(10)))
struct SleepTests {
    private static let logind = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let second: Int64 = 1_000_000_000

    /// A device on a bus with logind, and its reports of sleep.
    private final class Sleeper {
        let bus: PrivateBus
        let device: WatchedDevice
        var told: [String] { device.sleep }

        init(delaysSleep: Bool) throws {
            bus = try PrivateBus()
            try bus.start("logind")
            device = try WatchedDevice(try Tree(), bus: bus.address)
            device.device?.delaysSleep = delaysSleep
            _ = try device.report { $0.userIdle.value == .yes }
        }

        /// Makes logind announce sleep or wake, and waits until the device has reported it.
        func prepare(_ isPreparing: Bool) throws {
            try bus.set(
                "PreparingForSleep", of: logind, path, logind + ".Manager",
                to: "boolean:\(isPreparing)")
            try run()
        }

        func run() throws {
            let deadline = try Deadline(device.loop)
            device.loop.run()
            try #require(!deadline.hasPassed, "\(told)")
        }

        /// The locks that logind has, one per line.
        func locks() throws -> [String] {
            try bus.send(logind, path, logind + ".Manager.ListInhibitors")
                .split(separator: "\n").filter { $0.contains("bgrun") }.map(String.init)
        }

        /// Waits until logind has `count` locks of this process. Polls, as logind does not announce locks.
        func await(locks count: Int) throws {
            while try locks().count != count {}
        }
    }

    @Test("logind's signals before and after sleep are passed on")
    func told() throws {
        let sleeper = try Sleeper(delaysSleep: false)
        try sleeper.prepare(true)
        try sleeper.prepare(false)
        #expect(sleeper.told == ["suspending within 0", "resumed"])
        #expect(try sleeper.locks().isEmpty)
    }

    @Test("the signal has the time that logind waits")
    func delay() throws {
        let sleeper = try Sleeper(delaysSleep: false)
        try sleeper.bus.send(
            Self.logind, Self.path, "org.freedesktop.DBus.Mock.AddProperty",
            [
                "string:\(Self.logind).Manager", "string:InhibitDelayMaxUSec",
                "variant:uint64:7000000",
            ])
        try sleeper.prepare(true)
        #expect(sleeper.told == ["suspending within \(7 * Self.second)"])
    }

    @Test("sleep is delayed from the start until all is ready, and again after the machine resumed")
    func lock() throws {
        let sleeper = try Sleeper(delaysSleep: true)
        // The device is not complete before it has the lock.
        #expect(try sleeper.locks().count == 1)
        sleeper.device.device?.readyToSleep()
        #expect(try sleeper.locks().count == 1)
        try sleeper.prepare(true)
        #expect(try sleeper.locks().count == 1)
        sleeper.device.device?.readyToSleep()
        try sleeper.await(locks: 0)
        try sleeper.prepare(false)
        // logind answers the request for the lock before later requests.
        try sleeper.bus.send(
            Self.logind, Self.path, "org.freedesktop.DBus.Mock.AddSession",
            ["string:c1", "string:seat0", "uint32:500", "string:joe", "boolean:true"])
        _ = try sleeper.device.report { $0.userIdle.value == .no }
        // A lock that is given back disappears from the list a little later.
        for _ in 0..<20 {
            sleeper.device.loop.inNextRound { sleeper.device.loop.stop() }
            sleeper.device.loop.run()
            #expect(try sleeper.locks().count == 1)
        }
    }

    @Test("a lock that logind gives only when all is ready is given back at once")
    func lateLock() throws {
        let bus = try PrivateBus()
        try bus.start("logind")
        let loop = try EventLoop()
        let system = SystemBus(loop, address: bus.address, awaitsBus: false) {}
        var isTold: () -> Void = {}
        let sleep = try SleepGuard(loop) { isTold() }
        sleep.isWanted = true
        sleep.hear(SleepNews(isPreparing: false), from: system)
        #expect(!sleep.isSettled)
        // The announcement comes before the answer.
        sleep.hear(SleepNews(isPreparing: true), from: system)
        sleep.readyToSleep()
        isTold = { loop.stop() }
        let deadline = try Deadline(loop)
        loop.run()
        try #require(!deadline.hasPassed && sleep.isSettled)
        var locks = ""
        for _ in 0..<100 {
            locks = try bus.send(Self.logind, Self.path, Self.logind + ".Manager.ListInhibitors")
            guard locks.contains("bgrun") else { break }
        }
        #expect(!locks.contains("bgrun"))
    }

    @Test("an exit of logind while the machine is about to sleep counts as the end of sleep")
    func gone() throws {
        let sleeper = try Sleeper(delaysSleep: true)
        try sleeper.prepare(true)
        sleeper.bus.stop("logind")
        try sleeper.run()
        #expect(sleeper.told == ["suspending within 0", "resumed"])
    }

    @Test("a machine that stays awake long after logind's delay does not sleep")
    func doubted() {
        var word = SleepWord()
        let news = SleepNews(isPreparing: true, delay: .seconds(5))
        word.hear(news, monotonic: 100 * Self.second)
        #expect(word.isAboutToSleep)
        #expect(word.doubtedAt == 135 * Self.second)
        // A repeated announcement does not restart the time.
        word.hear(news, monotonic: 120 * Self.second)
        word.look(monotonic: 134 * Self.second)
        #expect(word.isAboutToSleep)
        word.look(monotonic: 135 * Self.second)
        #expect(!word.isAboutToSleep)
        word.hear(news, monotonic: 136 * Self.second)
        #expect(!word.isAboutToSleep)
        word.hear(nil, monotonic: 140 * Self.second)
        word.hear(news, monotonic: 141 * Self.second)
        #expect(word.isAboutToSleep)
    }

    @Test("an unlimited delay is assumed to be a day, an unknown delay the default")
    func delays() {
        for (delay, doubtedAt) in [
            (Interval(nanoseconds: .max), 86_430), (nil, 35), (.zero, 30),
        ] as [(Interval?, Int64)] {
            var word = SleepWord()
            word.hear(SleepNews(isPreparing: true, delay: delay), monotonic: 0)
            #expect(word.doubtedAt == doubtedAt * Self.second)
        }
    }
}
