// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import Foundation
import Glibc
import Testing

@Suite("A forecast that a client asks for", .timeLimit(.minutes(5)))
struct ForecastHostTests {
    /// A host of scheduled tasks with a control socket. Records the answered commands.
    private final class Served {
        let bench: HostBench
        let path: String
        private(set) var answered: [String] = []
        private(set) var responses: [ControlResponse] = []
        private var server: ControlServer?

        init() throws {
            let schedule = "cron: '* * * * *'\n  catch_up: none\n  zone: UTC"
            let tasks = (1...10).map { HostBench.task("org.test.\($0)", schedule) }
            bench = try HostBench(tasks.joined())
            path = bench.directory + "/control"
            try bench.host.start()
            server = try ControlServer(bench.loop, path: path) {
                [unowned self] request, isHeard, answer in
                bench.host.serve(request, isHeard: isHeard) { [unowned self] response in
                    answered.append(request.command.rawValue)
                    responses.append(response)
                    answer(response)
                }
            }
        }

        var now: WallTime { bench.host.instant.wall }

        func explain(after delay: Interval) -> ControlRequest {
            ControlRequest(.explain, identifier: "org.test.1", at: now.advanced(by: delay))
        }
    }

    private final class Client {
        private let descriptor = SocketName.stream(AF_UNIX)
        private let loop: EventLoop

        /// - Parameter heard: Called for each chunk of answers.
        init(_ served: Served, heard: @escaping (Client) -> Void = { _ in }) throws {
            loop = served.bench.loop
            try SystemFailure.check(
                "connect", SocketName.with(path: served.path) { connect(descriptor, $0, $1) })
            try loop.watch(descriptor) { [unowned self] _ in
                var chunk = [UInt8](repeating: 0, count: 1 << 20)
                if read(descriptor, &chunk, chunk.count) > 0 { heard(self) }
            }
        }

        deinit {
            loop.forget(descriptor)
            close(descriptor)
        }

        func send(_ request: ControlRequest) throws {
            let line = try JSONEncoder().encode(request) + [10]
            let count = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            #expect(count == line.count)
        }
    }

    @Test("is computed in parts: other clients and timers are served in between")
    func parts() throws {
        let served = try Served()
        let loop = served.bench.loop
        let asking = try Client(served) { _ in loop.stop() }
        try asking.send(served.explain(after: .hours(1)))
        var answeredBefore: Int?
        let timer = try LoopTimer(loop) {
            answeredBefore = served.answered.count { $0 == "explain" }
        }
        // This client sends another request after each answer.
        let other = try Client(served) {
            if answeredBefore == nil { timer.set(elapsed: 1) }
            try? $0.send(ControlRequest(.running))
        }
        try other.send(ControlRequest(.running))
        loop.run()
        let position = try #require(served.answered.firstIndex(of: "explain"))
        #expect(position >= 5)
        #expect(answeredBefore == 0)
        let host = served.bench.host
        let whole = host.engine.forecast(to: served.now.advanced(by: .hours(1)), from: host.instant)
        #expect(whole.launches.count >= 590)
        #expect(served.responses[position].explanation == ExplanationView(whole, of: "org.test.1"))
        withExtendedLifetime((asking, other, timer)) {}
    }

    @Test("is answered at once if little is due until then")
    func short() throws {
        let served = try Served()
        var explanation: ExplanationView?
        served.bench.host.serve(served.explain(after: .seconds(1))) { explanation = $0.explanation }
        #expect(explanation?.at == served.now.advanced(by: .seconds(1)))
    }

    @Test("is cancelled when its client has hung up, and the next one is computed")
    func gone() throws {
        let served = try Served()
        let loop = served.bench.loop
        var asking: Client? = try Client(served)
        try asking?.send(served.explain(after: .hours(24 * 365)))
        let next = try Client(served) { _ in loop.stop() }
        try next.send(served.explain(after: .hours(1)))
        asking = nil
        loop.run()
        #expect(served.answered == ["explain", "explain"])
        #expect(served.responses.map { $0.explanation == nil } == [true, false])
        withExtendedLifetime((asking, next)) {}
    }

    @Test("is refused while sixteen others wait, not counting those of disconnected clients")
    func limit() throws {
        let served = try Served()
        let host = served.bench.host
        var isHeard = true
        var answers: [ControlResponse] = []
        let long = served.explain(after: .hours(24 * 365))
        for _ in 1...16 { host.serve(long, isHeard: { isHeard }, { answers.append($0) }) }
        #expect(answers.isEmpty)
        host.serve(long) { answers.append($0) }
        #expect(answers.count == 1)
        #expect(answers.first?.problem?.message.hasPrefix("too many forecasts") == true)
        isHeard = false
        var explanation: ExplanationView?
        host.serve(served.explain(after: .hours(1))) {
            explanation = $0.explanation
            served.bench.loop.stop()
        }
        // All forecasts except the first, which is being computed, were cancelled.
        #expect(answers.count == 16 && explanation == nil)
        served.bench.loop.run()
        #expect(answers.count == 17 && explanation != nil)
    }
}
