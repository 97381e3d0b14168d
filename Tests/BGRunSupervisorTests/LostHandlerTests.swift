// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Foundation
import Glibc
import Testing

@testable import BGRunSupervisor

@Suite("The handler of a continued task that was registered after init", .timeLimit(.minutes(1)))
final class LostHandlerTests: SupervisorBench {
    private func isLost(_ identifier: String = "org.test.a", plugin: String = "/bin/true") -> Bool {
        supervisor.hasLostHandler(of: identifier, Self.work(1, plugin: plugin).key)
    }

    /// A worker that runs attempt 1 and has registered that handler.
    private func registering(
        _ identifier: String = "org.test.a", plugin: String = "/bin/true"
    ) throws -> WorkerProcess {
        let worker = try prepare(1, .processing, plugin: plugin)
        launch(1)
        say(.registered(Registration(identifier: identifier)), worker)
        return worker
    }

    private static func loaded(_ registrations: [Registration]) -> WorkerMessage {
        .loaded(
            WorkerMessage.Loaded(
                name: "p", version: nil, abiVersion: 0, flags: 0, handlers: ["default"],
                registrations: registrations))
    }

    @Test("is lost with its worker, and is there again once another one has registered it")
    func lost() throws {
        #expect(!isLost(), "unknown")
        let worker = try registering()
        #expect(!isLost())
        die(worker)
        #expect(isLost())
        #expect(!isLost("org.test.b") && !isLost(plugin: "/bin/false"))
        _ = try registering()
        #expect(!isLost())
    }

    @Test("is lost under each name of a pattern")
    func pattern() throws {
        die(try registering("org.test.export.*"))
        #expect(isLost("org.test.export.photos") && !isLost())
    }

    @Test("is lost once its worker must end")
    func expired() throws {
        _ = try registering()
        supervisor.expire(1, .cancelled, grace: .seconds(1), deadlineElapsed: .max)
        #expect(isLost())
    }

    @Test("is not lost if workers register it in their init")
    func atInit() throws {
        die(try registering())
        let next = try prepare(2, .processing)
        say(Self.loaded([Registration(identifier: "org.test.b")]), next)
        #expect(isLost())
        let last = try prepare(3, .processing)
        say(Self.loaded([Registration(identifier: "org.test.*")]), last)
        #expect(!isLost())
    }

    @Test(
        "is not lost where a new worker registers it by another name, whichever came first",
        arguments: [
            ("org.test.export.*", "org.test.export.photos"),
            ("org.test.export.photos", "org.test.export.*"),
        ])
    func atInitByOtherName(early: String, late: String) throws {
        let worker = try prepare(1, .processing)
        launch(1)
        say(Self.loaded([Registration(identifier: early)]), worker)
        say(.registered(Registration(identifier: late)), worker)
        die(worker)
        #expect(!isLost("org.test.export.photos"))
        // Only the pattern covers this one.
        #expect(isLost("org.test.export.notes") == (late == "org.test.export.*"))
    }

    @Test("is not known to be lost once the plugin's file or the manifest has changed")
    func changed() throws {
        let path = FileManager.default.temporaryDirectory.path + "/bgrun-\(UUID().uuidString)"
        defer { unlink(path) }
        try Data("one".utf8).write(to: URL(filePath: path))
        die(try registering(plugin: path))
        #expect(isLost(plugin: path))
        try Data("two".utf8).write(to: URL(filePath: path), options: .atomic)
        #expect(!isLost(plugin: path))

        die(try registering())
        #expect(isLost())
        supervisor.change(
            SupervisorLimits(.server),
            app: HostMessage.App(
                identifier: "org.test.app", manifestDirectory: "/", permitted: [], tasks: []))
        #expect(!isLost())
    }
}
