// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@Suite("A host that is killed together with its worker", .timeLimit(.minutes(5)))
struct LeftoverTests {
    @Test(
        "leaves children of another session, which the next host kills before it runs the request")
    func both() async throws {
        try await Sandbox.with { box in
            try box.write(
                plugins: ["bad": try Built.misbehaving("setsid-child")],
                rest: "policy: {profile: server}",
                tasks: "org.test.bad: {kind: processing, handler: bad.run}")
            let host = try await box.host(until: "Starting task")
            // The worker, and its child in another session.
            #expect(await eventually { box.processes.count >= 3 })
            let old = Set(box.processes.map(\.pid)).subtracting([host.pid])
            host.signal(SIGSTOP)
            for worker in box.workers { kill(worker.pid, SIGKILL) }
            await host.stop(SIGKILL)
            let next = try await box.host(until: "Starting task")
            #expect(old.allSatisfy { Sandbox.state(of: $0).map { "ZX".contains($0) } ?? true })
            next.signal(SIGTERM)
            await next.stop()
            await box.expectNothingLeft()
        }
    }

    @Test(
        "whose worker was told to expire runs no other attempt in it")
    func toldWorker() async throws {
        try await Sandbox.withProbe(
            "org.test.wait: {kind: processing, handler: probe.wait, submit: manual}"
        ) { box in
            let host = try box.start("run", "--stay")
            #expect(try await box.run("submit", "org.test.wait").code == 0)
            let first = try await host.line("waiting in").number(after: "waiting in ")
            #expect(try await box.run("expire", "org.test.wait").code == 0)
            try await host.line("Task ended with identifier org.test.wait: expired")
            let lines = host.errorLines.count
            #expect(try await box.run("submit", "org.test.wait").code == 0)
            let second = try await host.line("waiting in", after: lines)
            #expect(second.number(after: "waiting in ") != first)
            await host.stop()
        }
    }

    @Test("uses a rebuilt plugin at the next attempt, and ends the old worker")
    func rebuilt() async throws {
        let probe = try await Built.probe.value
        try await Sandbox.with { box in
            let plugin = box.directory + "/probe.so"
            try FileManager.default.copyItem(atPath: probe, toPath: plugin)
            try box.write(
                plugins: ["probe": plugin], rest: "policy: {profile: server}",
                tasks: "org.test.who: {kind: processing, handler: probe.who}")
            let host = try box.start("run", "--stay")
            let first = try await host.line("here 1").number(after: "pid ")
            try await host.line("Task completed")
            try FileManager.default.removeItem(atPath: plugin)
            try FileManager.default.copyItem(atPath: probe, toPath: plugin)
            let lines = host.errorLines.count
            #expect(try await box.run("submit", "org.test.who").code == 0)
            #expect(try await host.line("here 1", after: lines).number(after: "pid ") != first)
            #expect(await eventually { !box.workers.contains { $0.pid == first } })
            await host.stop()
        }
    }
}
