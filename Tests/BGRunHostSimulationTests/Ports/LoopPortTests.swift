// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHostSimulation
import Glibc
import Testing

@Suite("The loop port", .timeLimit(.minutes(5)))
struct LoopPortTests {
    enum Arm: String, CaseIterable {
        case real
        case simulated
    }

    /// A loop with two descriptors whose readiness the test sets.
    private final class Bench {
        let loop: EventLoop
        /// The watched ends.
        let watched: [Int32]
        private var written: [Int32]
        private let poller: SimulatedPoller?
        var heard: [String] = []

        init(_ arm: Arm) throws {
            guard arm == .simulated else {
                loop = try EventLoop()
                poller = nil
                var pairs: [[Int32]] = []
                for _ in 0..<2 {
                    var pair: [Int32] = [-1, -1]
                    try SystemFailure.check("pipe", pipe(&pair))
                    pairs.append(pair)
                }
                watched = pairs.map { $0[0] }
                written = pairs.map { $0[1] }
                return
            }
            let poller = SimulatedPoller()
            self.poller = poller
            loop = EventLoop(poller)
            (watched, written) = ([40, 41], [])
        }

        deinit { for descriptor in written + (poller == nil ? watched : []) { close(descriptor) } }

        func makeReady(_ index: Int) {
            if let poller { return poller.set(watched[index], ready: .read) }
            var byte: UInt8 = 1
            write(written[index], &byte, 1)
        }

        /// Closes the other end.
        func hangUp(_ index: Int) {
            if let poller { return poller.set(watched[index], ready: .hungUp) }
            close(written.remove(at: index))
        }

        /// Reads the byte that makes it ready.
        func take(_ index: Int) {
            if let poller { return poller.set(watched[index], ready: []) }
            var byte: UInt8 = 0
            read(watched[index], &byte, 1)
        }
    }

    @Test(
        "a descriptor is reported as long as it is ready, until it is forgotten",
        arguments: Arm.allCases)
    func watching(arm: Arm) throws {
        let bench = try Bench(arm)
        var count = 0
        try bench.loop.watch(bench.watched[0]) { readiness in
            #expect(readiness == .read)
            count += 1
            if count == 3 {
                bench.loop.forget(bench.watched[0])
                bench.loop.stop()
            }
        }
        #expect(bench.loop.isWatched(bench.watched[0]))
        bench.makeReady(0)
        bench.loop.run()
        #expect(count == 3 && !bench.loop.isWatched(bench.watched[0]))
        // It is still ready but not watched: only the other one is reported.
        try bench.loop.watch(bench.watched[1]) { _ in bench.loop.stop() }
        bench.makeReady(1)
        bench.loop.run()
        #expect(count == 3)
    }

    @Test(
        "deferred work runs after the handlers of the round, and before the next round",
        arguments: Arm.allCases)
    func rounds(arm: Arm) throws {
        let bench = try Bench(arm)
        var rounds = 0
        try bench.loop.watch(bench.watched[0]) { _ in
            rounds += 1
            bench.heard.append("handler \(rounds)")
            guard rounds == 1 else { return bench.take(0) }
            bench.loop.inNextRound {
                bench.heard.append("next round")
                bench.loop.stop()
            }
            bench.loop.afterThisRound {
                bench.heard.append("after")
                bench.loop.afterThisRound { bench.heard.append("after that") }
            }
        }
        bench.makeReady(0)
        bench.loop.run()
        #expect(bench.heard == ["handler 1", "after", "after that", "handler 2", "next round"])
    }

    @Test(
        "a descriptor that is forgotten and watched again in a round is a new one",
        arguments: Arm.allCases)
    func anew(arm: Arm) throws {
        let bench = try Bench(arm)
        for index in 0..<2 {
            try bench.loop.watch(bench.watched[index]) { _ in
                bench.heard.append("old")
                bench.take(index)
                let other = 1 - index
                bench.loop.forget(bench.watched[other])
                try? bench.loop.watch(bench.watched[other]) { _ in
                    bench.heard.append("new")
                    bench.take(other)
                    bench.loop.stop()
                }
            }
            bench.makeReady(index)
        }
        bench.loop.run()
        #expect(bench.heard == ["old", "new"])
    }

    @Test("a watch can change its interest", arguments: Arm.allCases)
    func change(arm: Arm) throws {
        let bench = try Bench(arm)
        try bench.loop.watch(bench.watched[0]) { _ in bench.heard.append("changed") }
        bench.loop.change(bench.watched[0], to: .priority)
        bench.makeReady(0)
        try bench.loop.watch(bench.watched[1]) { _ in bench.loop.stop() }
        bench.makeReady(1)
        bench.loop.run()
        #expect(bench.heard == [])
    }

    @Test(
        "a hang-up is reported to a watch that waits for nothing, and only a hang-up is",
        arguments: Arm.allCases)
    func hangingUp(arm: Arm) throws {
        let bench = try Bench(arm)
        var heard: [EventLoop.Readiness] = []
        try bench.loop.watch(bench.watched[1], for: []) {
            heard.append($0)
            bench.loop.stop()
        }
        bench.makeReady(1)
        try bench.loop.watch(bench.watched[0]) {
            #expect($0 == .read)
            bench.take(0)
            bench.hangUp(1)
        }
        bench.makeReady(0)
        bench.loop.run()
        #expect(heard == [[.read, .hungUp]])
    }

    @Test("a loop that is stopped runs again", arguments: Arm.allCases)
    func again(arm: Arm) throws {
        let bench = try Bench(arm)
        for number in 1...2 {
            bench.loop.afterThisRound {
                bench.heard.append("run \(number)")
                bench.loop.stop()
            }
            bench.loop.run()
        }
        #expect(bench.heard == ["run 1", "run 2"])
    }
}
