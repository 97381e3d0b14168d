// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import CBGRunPlugin
import Testing

@testable import BGRunHost

@Suite("A submission of a confined handler", .timeLimit(.minutes(5)))
struct ConfinedSubmissionTests {
    private let bench: HostBench

    init() throws {
        func task(_ name: String, _ confine: String) -> String {
            HostBench.task("org.test.\(name)", "submit: manual\n  confine: \(confine)")
        }
        bench = try HostBench(
            task("confined", "default") + task("alike", "default") + task("strict", "strict")
                + task("keyed", "{profile: default, read: [/srv]}") + task("free", "none")
        ).started()
        bench.launch("org.test.confined")
        #expect(bench.supervisor.launched == [1])
    }

    /// The confinement of the workers of a task.
    private func confinement(_ name: String) throws -> Confinement? {
        bench.host.manifest.confinementOfWorkers(
            try #require(bench.host.definitions["org.test.\(name)"]))
    }

    private func submit(
        to name: String, with parameters: String?, from attempt: Int64 = 1,
        as source: String = "confined"
    ) throws -> Int32? {
        let request = WorkerMessage.Request(
            identifier: "org.test.\(name)", parameters: parameters,
            delayNanoseconds: 3_600_000_000_000)
        return bench.call(.submit(request), from: attempt, confined: try confinement(source))?
            .status
    }

    @Test(
        "with parameters is refused for a task with another confinement", arguments: [1, 0],
        ["free", "keyed", "strict"])
    func refused(_ attempt: Int64, _ name: String) throws {
        let parameters = #"{"command": ["id"]}"#
        #expect(
            try submit(to: name, with: parameters, from: attempt) == BGRUN_E_NOT_PERMITTED)
        #expect(bench.host.engine.pendingRequest("org.test.\(name)") == nil)
        #expect(
            bench.log.has(
                "request for org.test.\(name) was refused: it brings parameters from a confined"))
        #expect(bench.log.has("confine both tasks alike, or submit without parameters"))
        // Parameters that replace nothing are parameters.
        #expect(try submit(to: name, with: "{}", from: attempt) == BGRUN_E_NOT_PERMITTED)
    }

    @Test(
        "is accepted without parameters", arguments: [1, 0],
        ["free", "keyed", "strict", "alike", "confined"])
    func plain(_ attempt: Int64, _ name: String) throws {
        #expect(try submit(to: name, with: nil, from: attempt) == BGRUN_OK)
    }

    @Test(
        "with parameters is accepted for its own task and for one that is confined alike",
        arguments: [1, 0], ["alike", "confined"])
    func alike(_ attempt: Int64, _ name: String) throws {
        #expect(try submit(to: name, with: #"{"a": 1}"#, from: attempt) == BGRUN_OK)
        #expect(
            bench.host.engine.pendingRequest("org.test.\(name)")?.parameters == #"{"a": 1}"#)
    }

    @Test("with parameters is accepted from a handler without confinement", arguments: [1, 0])
    func unconfined(_ attempt: Int64) throws {
        for name in ["free", "keyed", "strict", "alike"] {
            #expect(
                try submit(to: name, with: #"{"a": 1}"#, from: attempt, as: "free") == BGRUN_OK)
        }
    }

    @Test("for an identifier without a task is refused as from any handler")
    func unknown() throws {
        let request = WorkerMessage.Request(identifier: "org.test.other", parameters: "{}")
        let confined = bench.call(
            .submit(request), from: 1, confined: try confinement("confined"))
        #expect(confined?.status == bench.call(.submit(request), from: 1)?.status)
    }
}
