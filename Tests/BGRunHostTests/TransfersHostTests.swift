// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunTransferIPC
import Foundation
import Glibc
import Testing

@testable import BGRunHost
@testable import BGRunStorage
@testable import BGRunTransfers

@Suite("Transfers of a host", .timeLimit(.minutes(5)))
final class TransfersHostTests: TransferDatabase {
    private func bench(
        _ tasks: String = HostBench.task("org.test.a"), network: String = "none",
        ending: BGRunHost.Host.Ending = .never, at directory: String? = nil
    ) throws -> HostBench {
        try HostBench(
            tasks, rest: "policy: {profile: server}\ndevice: {network: \(network)}",
            ending: ending, at: directory, state: state)
    }

    private func add(
        to session: String, name: String? = nil, earliest: WallTime? = nil
    ) throws -> Int64 {
        var request = Self.download(in: session)
        request.earliest = earliest
        return try add(request, name: name)
    }

    /// Stores a completed transfer of the session with an undelivered result.
    private func finish(in session: String) throws -> Int64 {
        let id = try add(to: session)
        try complete(id)
        return id
    }

    @Test("continue when the host cancels its end")
    func resume() throws {
        let bench = try bench(ending: .whenIdle)
        bench.supervisor.hasWarmWorkers = true
        try bench.host.start()
        bench.settle()
        // All attempts have ended, and the host waits for the warm workers.
        #expect(bench.supervisor.calls.contains(.retire))

        bench.launch("org.test.a")
        bench.supervisor.finishRetiring()
        let answer = bench.call(
            .transfer(
                .create(
                    WorkerMessage.TransferRequest(session: "s", url: "https://example.org/f"))),
            from: 1)
        #expect(answer?.status == 0)
        bench.settle()
        #expect(bench.log.has("waits: "))
    }

    @Test("end the host when their database was removed, before one is acknowledged")
    func removedDatabase() throws {
        let bench = try bench().started()
        bench.launch("org.test.a")
        let create = WorkerMessage.Call.transfer(
            .create(WorkerMessage.TransferRequest(session: "s", url: "https://example.org/f")))
        #expect(bench.call(create, from: 1)?.status == 0)
        try FileManager.default.removeItem(atPath: state.transfers)
        #expect(bench.call(create, from: 1)?.status != 0)
        #expect(bench.host.breakdown == .replaced(path: state.transfers))
        // The next host finds it in the store.
        #expect(bench.log.has("The end of attempt 1 of org.test.a is not stored"))
    }

    @Test("are answered in pages, without finished ones unless asked for")
    func pages() throws {
        let count = ControlRequest.mostRows + 2
        for _ in 0..<count { _ = try add(to: "s") }
        let bench = try bench().started()
        let ended = try finish(in: "org.test.a")
        func page(from start: Int?, limit: Int?) throws -> (ids: [Int64], next: Int?) {
            var found: ControlResponse?
            bench.host.serve(ControlRequest(.transfers, limit: limit, from: start)) { found = $0 }
            let response = try #require(found)
            return (try #require(response.transfers).map(\.id), response.next)
        }
        let first = try page(from: nil, limit: -5)
        #expect(first.ids.count == ControlRequest.mostRows)
        let second = try page(from: first.next, limit: -5)
        #expect(second.ids.count == 2 && second.next == nil)
        #expect(Set(first.ids + second.ids).count == count)
        #expect(try page(from: first.next, limit: 1).ids == second.ids + [ended])
    }

    @Test("end the host when their database is missed", arguments: ["", "-wal", "-shm"])
    func missedDatabase(_ end: String) throws {
        let bench = try bench().started()
        bench.host.checkFiles()
        #expect(bench.host.breakdown == nil)
        try FileManager.default.removeItem(atPath: state.transfers + end)
        bench.host.checkFiles()
        #expect(bench.host.breakdown == .replaced(path: state.transfers))
    }

    @Test("of another database than the host's are not answered for: the host ends")
    func otherDatabase() throws {
        let bench = try bench().started()
        var answers = 0
        bench.host.serve(ControlRequest(.transfers)) { _ in answers += 1 }
        #expect(answers == 1)
        for end in ["", "-wal", "-shm"] {
            try FileManager.default.removeItem(atPath: state.transfers + end)
        }
        _ = try TransferStore.open(state.transfers).add(
            Self.download(), at: WallTime(milliseconds: 1))
        bench.host.serve(ControlRequest(.transfers)) { _ in answers += 1 }
        #expect(answers == 1)
        #expect(bench.host.breakdown == .replaced(path: state.transfers))
    }

    @Test("are cancelled when its manifest no longer declares them, and only those")
    func undeclared() throws {
        let declared = try add(to: "org.test.gone", name: "org.test.gone")
        let other = try add(to: "org.test.own")
        let bench = try bench().started()
        #expect(
            try bench.turn(until: { try store.transfer(declared)?.wanted.isCancelled == true }))
        #expect(try store.transfer(other)?.wanted == .run)
    }

    @Test("launch their session's task again once it has acknowledged the first")
    func acknowledged() throws {
        let bench = try bench(Self.sessionTask)
        let first = try finish(in: "org.test.s")
        try bench.host.start()
        #expect(bench.turn(until: { bench.supervisor.launched == [1] }))
        bench.call(.transfer(.acknowledge(id: first)), from: 1)
        #expect(try bench.turn(until: { try store.transfer(first)?.isDelivered == true }))
        bench.supervisor.end(1)

        _ = try finish(in: "org.test.s")
        bench.host.lookAtTransfers()
        let isSubmitted = bench.turn {
            bench.supervisor.launched != [1]
                || bench.host.engine.pendingRequest("org.test.s") != nil
        }
        #expect(isSubmitted && bench.supervisor.launched == [1, 2])
    }

    @Test("launch their session's task again if the previous host left it running")
    func interrupted() throws {
        let first = try finish(in: "org.test.s")
        let dead = try bench(Self.sessionTask).started()
        #expect(dead.turn(until: { dead.supervisor.launched == [1] }))

        let bench = try bench(Self.sessionTask, at: dead.directory).started()
        #expect(bench.turn(until: { bench.supervisor.launched == [2] }))
        bench.call(.transfer(.acknowledge(id: first)), from: 2)
        #expect(try bench.turn(until: { try store.transfer(first)?.isDelivered == true }))
        bench.supervisor.end(2)
        _ = try finish(in: "org.test.s")
        bench.host.lookAtTransfers()
        #expect(
            bench.turn(until: {
                bench.supervisor.launched != [2]
                    || bench.host.engine.pendingRequest("org.test.s") != nil
            }))
    }

    @Test("without a session, or without an end, are not found")
    func unknown() throws {
        let unfinished = try add(to: "org.test.a")
        let bench = try bench().started()
        bench.submit("org.test.a")
        for call in [
            .nextEnded(session: "other"), .nextEnded(session: nil), .acknowledge(id: unfinished),
            .acknowledge(id: 99),
        ] as [WorkerMessage.TransferCall] {
            // BGRUN_E_NOT_FOUND
            #expect(bench.call(.transfer(call), from: 1)?.status == -5, "\(call)")
        }
        // BGRUN_E_STATE
        #expect(bench.call(.transfer(.acknowledge(id: unfinished)), from: 99)?.status == -2)
    }

    @Test("need the readings of the network and of power while they are not finished")
    func readings() throws {
        _ = try add(to: "org.test.a")
        let busy = try bench().started()
        let needed: Conditions = [.network, .unmeteredNetwork, .externalPower]
        #expect(busy.turn(until: { busy.observer.needed.conditions == needed }))
    }

    @Test(
        "are not reported as continuing without a host if the service or the network is missing",
        arguments: ["unmetered", "none"])
    func notContinued(_ network: String) throws {
        _ = try add(to: "org.test.a")
        let bench = try bench(network: network, ending: .afterOneRound).started()
        bench.loop.run()
        #expect(!bench.log.has("1 transfer is not finished; "))
    }

    @Test(
        "with a future date are reported as continuing without a host, if there is a network",
        arguments: [("unmetered", true), ("none", false)])
    func continuedLater(_ network: String, isContinued: Bool) throws {
        _ = try add(to: "org.test.a", earliest: WallTime(milliseconds: 4_000_000_000_000))
        let service = try UnixListener.open(state.transferSocket)
        defer { close(service) }
        let bench = try bench(network: network, ending: .afterOneRound).started()
        bench.loop.run()
        #expect(bench.log.has("1 transfer is not finished; ") == isContinued)
    }

    @Test(
        "that are repeated wait for their date in the next host, not in a service",
        arguments: [("every: 1d", false), ("metered: true", true)])
    func repeated(_ setting: String, isContinued: Bool) throws {
        let service = try UnixListener.open(state.transferSocket)
        defer { close(service) }
        let bench = try HostBench(
            HostBench.task("org.test.a"),
            rest: """
                policy: {profile: server}
                device: {network: unmetered}
                transfers:
                  org.test.file:
                    download: https://example.org/f
                    to: \(base)/file
                    earliest: 1d
                    \(setting)
                """, ending: .afterOneRound, state: state
        ).started()
        bench.loop.run()
        #expect(bench.log.has("1 transfer is not finished; ") == isContinued)
    }

    @Test("are reported to the following task with the received or sent file")
    func report() {
        func file(_ direction: TransferRequest.Direction, _ received: String?) -> String? {
            var transfer = Transfer(
                id: 1,
                request: TransferRequest(
                    session: "s", direction: direction, url: "https://example.org/f", file: "/own"),
                submitted: WallTime(milliseconds: 1))
            transfer.progress.file = received
            return TransferReport(transfer).file
        }
        #expect(file(.upload, "/response") == "/own")
        #expect(file(.download, "/received") == "/received")
        #expect(file(.download, nil) == "/own")
    }

    @Test("send the state of the device to a running service first")
    func conditions() throws {
        _ = try add(to: "org.test.a")
        let service = try UnixListener.open(state.transferSocket)
        defer { close(service) }
        let bench = try bench(network: "metered").started()
        bench.host.lookAtTransfers()
        var connection: Int32 = -1
        defer { close(connection) }
        var bytes: [UInt8] = []
        let hasHeard = bench.turn {
            if connection < 0 { connection = accept(service, nil, nil) }
            _ = fcntl(connection, F_SETFL, O_NONBLOCK)
            var chunk = [UInt8](repeating: 0, count: 4_096)
            let count = read(connection, &chunk, chunk.count)
            bytes += chunk.prefix(max(0, count))
            return bytes.contains(UInt8(ascii: "\n"))
        }
        #expect(hasHeard)
        let order = ServiceOrder(line: bytes.prefix { $0 != UInt8(ascii: "\n") })
        guard case .conditions(let conditions, _) = order else {
            Issue.record("it was told \(String(describing: order)) first")
            return
        }
        #expect(conditions.network == .yes && conditions.metered == .yes)
    }
}
