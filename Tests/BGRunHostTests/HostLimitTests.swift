// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import Testing

@testable import BGRunHost
@testable import BGRunManifest
@testable import BGRunPushes

@Suite("The backlog of a host while the store is busy", .timeLimit(.minutes(5)))
struct HostLimitTests {
    /// A host with attempt 1, while another program writes to its store.
    private func stalled() throws -> (HostBench, StoreWriter) {
        let bench = try HostBench(HostBench.task("org.test.a") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.launch("org.test.a")
        let writer = try StoreWriter(bench)
        return (bench, writer)
    }

    private func line(_ text: String) -> AttemptNotice {
        .line(attempt: 1, HandlerLine(source: .standardOutput, text: text))
    }

    @Test("has a limited number of requests; a further one is refused at once, and none is lost")
    func tickets() throws {
        let (bench, writer) = try stalled()
        bench.submit("org.test.b")
        var answers = 0
        for _ in 1..<HostLimits.tickets {
            bench.host.ask({ .cancel(identifier: "org.test.none", ticket: $0) }) { reply in
                if reply == .cancelled(0) { answers += 1 }
            }
        }
        #expect(bench.host.tickets.count == HostLimits.tickets && answers == 0)
        let cancelled = "org.test.none".utf8.count * (HostLimits.tickets - 1)
        #expect(bench.host.tickets.bytes == "org.test.b".utf8.count + cancelled)
        #expect(bench.submit("org.test.b") == .refused(.busy))
        #expect(Refusal.busy.message.contains("submit the request again"))

        try writer.release()
        #expect(answers == HostLimits.tickets - 1 && bench.host.tickets.count == 0)
        #expect(bench.submit("org.test.none") != .refused(.busy))
    }

    @Test("has a limited number of bytes of parameters")
    func bytes() throws {
        let (bench, writer) = try stalled()
        bench.submit("org.test.b")
        let parameters = String(repeating: " ", count: Parameters.largest)
        var replies: [Reply] = []
        func submit() {
            let submission = Submission(identifier: "org.test.b", parameters: parameters)
            bench.host.ask({ .submit(submission, ticket: $0) }, { replies.append($0) })
        }
        for _ in 0..<HostLimits.ticketBytes >> 20 { submit() }
        #expect(replies.isEmpty && bench.host.tickets.bytes >= HostLimits.ticketBytes)
        submit()
        #expect(replies == [.refused(.busy)])
        bench.host.breakDown(.busy(path: bench.path))
        #expect(bench.host.tickets.bytes == 0 && bench.host.tickets.count == 0)
        try writer.letGo()
    }

    @Test("has a limited number of events; one more ends the host, since no event may be lost")
    func events() throws {
        let (bench, writer) = try stalled()
        bench.submit("org.test.b")
        for id in 0..<Int64(HostLimits.events) - 1 {
            bench.supervisor.onNotice(.assertionBegan(attempt: 1, id: id))
        }
        #expect(bench.host.breakdown == nil)
        for id: Int64 in [-1, -2] { bench.supervisor.onNotice(.assertionBegan(attempt: 1, id: id)) }
        #expect(bench.host.breakdown == .busy(path: bench.path))
        #expect(bench.supervisor.calls.contains(.kill(1)))
        try writer.letGo()
    }

    @Test("has a limited number of bytes of lines; then handlers wait until these are stored")
    func output() throws {
        let (bench, writer) = try stalled()
        let text = String(repeating: "x", count: 1 << 20)
        let count = HostLimits.unsavedBytes >> 20
        for _ in 1..<count {
            bench.supervisor.onNotice(line(text))
            bench.settle()
        }
        #expect(!bench.supervisor.calls.contains(.holdOutput(true)))
        bench.supervisor.onNotice(line(text))
        bench.supervisor.onNotice(line("one more"))
        bench.settle()
        #expect(bench.supervisor.calls.filter { $0 == .holdOutput(true) }.count == 1)
        #expect(!bench.supervisor.calls.contains(.holdOutput(false)))

        try writer.release()
        bench.settle()
        #expect(bench.supervisor.calls.last { $0.isHold } == .holdOutput(false))
        #expect(try bench.stored().output(attempt: 1).count == count + 1)
    }

    @Test("drops further log lines at this limit, and the log states how many are missing")
    func log() throws {
        let (bench, writer) = try stalled()
        for _ in 0..<HostLimits.unsavedBytes >> 20 {
            bench.supervisor.onNotice(line(String(repeating: "x", count: 1 << 20)))
        }
        bench.settle()
        let event = StoreChange.event(
            EventLine(at: bench.clock.now, kind: "refused", identifier: "", text: "a line"))
        let before = bench.host.unsaved.changes.count
        for _ in 0..<10 { bench.host.save([event]) }
        #expect(bench.host.unsaved.changes.count == before)

        try writer.release()
        bench.settle()
        let lines = try bench.stored().events(limit: 100).map(\.line)
        #expect(!lines.contains { $0.kind == "refused" })
        #expect(
            lines.filter { $0.kind == "lines-dropped" }.map(\.text).first?.hasPrefix("10 ") == true)
        bench.host.save([event])
        bench.settle()
        #expect(try bench.stored().events(limit: 100).contains { $0.line.kind == "refused" })
    }

    @Test("has a limited number of pushes; a further one is refused, and the others are stored")
    func pushes() throws {
        let bench = try HostBench(HostBench.pushTask("org.test.p") + HostBench.task("org.test.b"))
        try bench.host.start()
        bench.settle()
        let writer = try StoreWriter(bench)
        bench.submit("org.test.b")
        var stored = 0
        var refused: [PushRefusal] = []
        for _ in 0...PushesFeature.mostOffers {
            bench.push("org.test.p") {
                switch $0 {
                case .success: stored += 1
                case .failure(let refusal): refused.append(refusal)
                }
            }
        }
        #expect(stored == 0 && refused == [.unavailable])
        try writer.release()
        bench.settle()
        #expect(stored == PushesFeature.mostOffers && refused.count == 1)
    }

    @Test("has a limited number of logged registrations, whose names a plugin may invent")
    func registered() throws {
        let bench = try HostBench(
            "org.test.*: {kind: processing, handler: app, submit: manual}",
            rest: "policy: {profile: server}\nplugins: {app: /bin/true}")
        let loaded = WorkerMessage.Loaded(
            name: "app", version: nil, abiVersion: 0, flags: 0,
            handlers: [WorkerMessage.Loaded.defaultHandler],
            registrations: (0...HostLimits.registered).map {
                Registration(identifier: "org.test.\($0)")
            })
        for _ in 0..<2 { bench.host.sayRegistered("app", loaded) }
        let lines = bench.log.lines.count { $0.text.hasPrefix("Registered handler") }
        #expect(lines == HostLimits.registered)
    }

    @Test("has one end of each running attempt; a second or unknown end is ignored")
    func ends() throws {
        let bench = try HostBench(HostBench.task("org.test.a")).started()
        bench.launch("org.test.a")
        let writer = try StoreWriter(bench)
        bench.submit("org.test.a")
        for attempt: Int64 in [1, 1, 77, -5] { bench.supervisor.end(attempt) }
        #expect(bench.host.attempts.ends.keys.sorted() == [1])
        try writer.release()
        bench.settle()
        bench.supervisor.end(1)
        bench.settle()
        #expect(bench.host.attempts.ends.isEmpty)
        #expect(try bench.stored().history(limit: 10).map(\.attempt) == [1])
    }
}

extension SimulatedSupervisor.Call {
    fileprivate var isHold: Bool { if case .holdOutput = self { true } else { false } }
}
