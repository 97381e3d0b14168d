// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Foundation
import Glibc
import Testing

@testable import BGRunEventLoop

extension LineServerTests {
    /// A server that answers each line with `answer`, and its clients, on the same loop.
    final class Bench {
        let loop: EventLoop
        let path = NSTemporaryDirectory() + "bgrun-\(UUID().uuidString.prefix(8)).sock"
        var server: LineServer?
        var taken: [String] = []
        /// Requests that the test answers later.
        var later: [([UInt8]) -> Void] = []
        var answersLater = false
        var answer: (String) -> String = { $0 }
        var callers: [LineCaller] = []

        init(
            _ limits: LineLimits = LineLimits(), isOwner: Bool = true,
            poller: (any LoopPoller)? = nil
        ) throws {
            loop = try poller.map { EventLoop($0) } ?? EventLoop()
            server = try LineServer(
                loop, try UnixListener.open(path), path: path, limits: limits,
                isOwner: { _ in isOwner }, tooLong: { "longer than \($0)" }, full: "full"
            ) { [unowned self] line, caller, reply in
                let text = String(decoding: line, as: UTF8.self)
                taken.append(text)
                callers.append(caller)
                if answersLater { later.append(reply) } else { reply(Array(answer(text).utf8)) }
            }
        }

        /// Runs until `isDone`, which is checked after each round with an event.
        func run(until isDone: @escaping () -> Bool) {
            func look() { if isDone() { loop.stop() } else { loop.afterThisRound(turn) } }
            func turn() {
                // The loop waits once between two checks.
                timer = try? LoopTimer(loop) { look() }
                timer?.set(elapsed: 1)
            }
            turn()
            loop.run()
            timer = nil
        }

        private var timer: LoopTimer?
    }

    /// The kernel's poller, which returns the events of timers before the others of a round.
    final class TimersFirst: LoopPoller {
        private let epoll: Epoll

        init() throws { epoll = try Epoll() }

        func add(
            _ descriptor: Int32, for interest: EventLoop.Readiness, mark: UInt64
        ) throws(SystemFailure) {
            try epoll.add(descriptor, for: interest, mark: mark)
        }

        func change(_ descriptor: Int32, to interest: EventLoop.Readiness, mark: UInt64) {
            epoll.change(descriptor, to: interest, mark: mark)
        }

        func remove(_ descriptor: Int32) { epoll.remove(descriptor) }

        func wait(mayBlock: Bool, _ ready: (_ mark: UInt64, EventLoop.Readiness) -> Void) {
            var events: [(mark: UInt64, readiness: EventLoop.Readiness)] = []
            epoll.wait(mayBlock: mayBlock) { events.append(($0, $1)) }
            let timers = events.filter { Self.isTimer($0.mark) }
            for event in timers + events.filter({ !Self.isTimer($0.mark) }) {
                ready(event.mark, event.readiness)
            }
        }

        private static func isTimer(_ mark: UInt64) -> Bool {
            let path = "/proc/self/fd/\(Int32(truncatingIfNeeded: mark))"
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return target?.contains("timerfd") ?? false
        }
    }

    final class Client {
        let descriptor: Int32
        private let loop: EventLoop
        private(set) var lines: [String] = []
        private(set) var hasEnded = false
        private var rest: [UInt8] = []

        init(_ bench: Bench, reads: Bool = true) throws {
            loop = bench.loop
            descriptor = SocketName.stream(AF_UNIX)
            try SystemFailure.check(
                "connect", SocketName.with(path: bench.path) { connect(descriptor, $0, $1) })
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            if reads { try read() }
        }

        deinit {
            loop.forget(descriptor)
            close(descriptor)
        }

        func read() throws {
            try loop.watch(descriptor) { [unowned self] _ in
                var chunk = [UInt8](repeating: 0, count: 65_536)
                let count = Glibc.read(descriptor, &chunk, chunk.count)
                if count <= 0 {
                    loop.forget(descriptor)
                    hasEnded = true
                    return
                }
                rest += chunk[..<count]
                while let end = rest.firstIndex(of: 10) {
                    lines.append(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeFirst(end + 1)
                }
            }
        }

        /// Sends bytes; returns the number that the socket accepted.
        @discardableResult
        func send(_ text: String) -> Int {
            Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        }

        func finish() { shutdown(descriptor, Int32(SHUT_WR)) }
    }
}
