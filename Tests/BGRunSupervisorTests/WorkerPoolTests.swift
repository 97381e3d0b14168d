// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("The resources of workers", .timeLimit(.minutes(5)))
final class WorkerPoolTests: SupervisorBench {
    @Test("at most as many idle workers of a plugin are kept as the policy says")
    func limit() throws {
        let limit = SupervisorLimits(.server).warmWorkers
        let workers = try (0...limit).map { try prepare(Int64($0) + 1) }
        let other = try prepare(Int64(limit) + 2, plugin: "/bin/false")
        for worker in workers + [other] { supervisor.keep(worker) }
        #expect(workers.map(\.isEnding) == workers.indices.map { $0 == limit })
        #expect(!other.isEnding)
    }

    @Test("all descriptors of a worker are closed with it")
    func descriptors() throws {
        let pairs = try (0..<4).map { _ in try socketPair() }
        defer { for pair in pairs { close(pair[1]) } }
        var worker: WorkerProcess? = WorkerProcess(
            key: Self.work(1).key, identity: try #require(ProcessIdentity(of: getpid())),
            handle: try #require(ProcessHandle(getpid())), launch: pairs[0][0],
            control: pairs[1][0], output: pairs[2][0], error: pairs[3][0], lineLimit: 1)
        var byte: UInt8 = 0
        for pair in pairs { #expect(read(pair[1], &byte, 1) == -1) }
        withExtendedLifetime(worker) {}
        worker = nil
        for pair in pairs {
            // A child of another test has a copy of the descriptor until it executes its program.
            var end = pollfd(fd: pair[1], events: Int16(POLLIN), revents: 0)
            #expect(poll(&end, 1, 30_000) == 1)
            #expect(read(pair[1], &byte, 1) == 0)
        }
    }

    @Test("a failed system call names the resource that is short")
    func resources() {
        let codes = [EMFILE, ENFILE, EAGAIN, ENOMEM, ENOBUFS, ENOENT]
        let resources: [Resource?] = [
            .descriptors, .descriptors, .processes, .memory, .memory, nil,
        ]
        #expect(codes.map(Resource.init(code:)) == resources)
    }
}
