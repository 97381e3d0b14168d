// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("A worker that reads late", .timeLimit(.minutes(5)))
final class SlowWorkerTests: SupervisorBench {
    /// The bytes that `outlet` sends while `body` runs and its socket is full, as the worker reads them later.
    private func read(
        by worker: WorkerProcess, from outlet: ReferenceWritableKeyPath<WorkerProcess, Outlet>,
        _ body: () -> Void
    ) throws -> [UInt8] {
        let ends = try socketPair()
        defer { for end in ends { close(end) } }
        // The end of the process must not cause an event: its handler would look at the sockets again.
        for descriptor in worker.descriptors { loop.forget(descriptor) }
        let own = worker[keyPath: outlet]
        worker[keyPath: outlet] = Outlet(ends[0])
        defer { worker[keyPath: outlet] = own }
        try loop.watch(ends[0]) { [supervisor] readiness in
            if readiness.contains(.write) { worker[keyPath: outlet].flush() }
            supervisor.updateInterest(worker)
        }
        defer { loop.forget(ends[0]) }

        var chunk = [UInt8](repeating: 0, count: 65_536)
        var filled = 0
        while true {
            let count = write(ends[0], chunk, chunk.count)
            guard count > 0 else { break }
            filled += count
        }
        body()
        try #require(worker[keyPath: outlet].isBacklogged)
        var bytes: [UInt8] = []
        var isOver = false
        while !isOver {
            isOver = true
            while true {
                let count = Glibc.read(ends[1], &chunk, chunk.count)
                guard count > 0 else { break }
                bytes += chunk[..<count]
                isOver = false
            }
            // The socket has room again.
            turn()
        }
        return Array(bytes.dropFirst(filled))
    }

    @Test("receives the revocation of its time then")
    func expire() throws {
        let worker = try launched(1)
        let bytes = try read(by: worker, from: \.control) {
            supervisor.expire(1, .cancelled, grace: .seconds(1), deadlineElapsed: 5)
        }
        let expiration = HostMessage.Expiration(
            attempt: 1, reason: StopReason.cancelled.told, reasonText: StopReason.cancelled.name,
            graceNanoseconds: 1_000_000_000, deadlineBoottime: 5)
        #expect(bytes == HostMessage.expire(expiration).frame)
    }

    @Test("starts its attempt then")
    func start() throws {
        let worker = try prepare(1)
        let bytes = try read(by: worker, from: \.launch) { launch(1) }
        #expect(bytes == HostMessage.launch(Self.work(1).launch).frame)
    }

    @Test("receives the state of the device then")
    func device() throws {
        let worker = try launched(1)
        let device = Self.work(1).launch.device
        let bytes = try read(by: worker, from: \.control) { supervisor.tell(device) }
        #expect(bytes == HostMessage.device(device).frame)
    }
}

@Suite("An attempt that has not begun", .timeLimit(.minutes(5)))
final class WaitingAttemptTests: SupervisorBench {
    private static var changed: HostMessage.Device {
        var device = work(1).launch.device
        device.lowPowerMode = 1
        return device
    }

    @Test("begins with the newest readings of the device")
    func ready() throws {
        let worker = try prepare(1)
        supervisor.tell(Self.changed)
        let ends = try socketPair()
        defer { for end in ends { close(end) } }
        worker.launch = Outlet(ends[0])
        launch(1)
        var expected = Self.work(1).launch
        expected.device = Self.changed
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = read(ends[1], &chunk, chunk.count)
        #expect(Array(chunk.prefix(max(0, count))) == HostMessage.launch(expected).frame)
    }

    @Test("waits for its worker with the newest readings of the device", arguments: [true, false])
    func waiting(isLaunched: Bool) throws {
        let worker = try launched(1)
        worker.dynamicIdentifiers = ["org.test.a"]
        #expect(try prepare(2) === worker)
        if isLaunched { launch(2) }
        supervisor.tell(Self.changed)
        if !isLaunched { launch(2) }
        #expect(try #require(worker.waiting.first).launch.device == Self.changed)
    }
}
