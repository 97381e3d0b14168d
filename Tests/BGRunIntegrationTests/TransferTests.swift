// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Downloads and uploads that a manifest declares, by the real service from a real server.
@Suite("Transfers", .timeLimit(.minutes(4)))
struct TransferTests {
    private static let tasks = """
        org.test.import:
          kind: processing
          handler: exec.run
          parameters: {command: 'echo "$BGRUN_TRANSFER_FILE" | sed "s/.*\\///"; cat "$BGRUN_TRANSFER_FILE" | wc -c'}
        org.test.sorry:
          kind: processing
          handler: exec.run
          parameters: {command: 'echo sorry: "$BGRUN_TRANSFER_ERROR"'}
        """

    /// A sandbox whose manifest declares `transfers`, in which `ADDRESS` is the server's.
    private static func with(
        _ transfers: String, tasks: String = tasks,
        device: String = "{power: battery, network: unmetered}", isGated: Bool = false,
        _ body: (Sandbox, FileServer) async throws -> Void
    ) async throws {
        let exec = try Built.plugin("exec")
        try await Sandbox.with { box in
            let server = try await FileServer(box, isGated: isGated)
            try box.write(
                plugins: ["exec": exec], device: device,
                rest: "policy: {profile: server}\ntransfers:\n"
                    + (transfers.isEmpty ? "{}" : transfers).replacing(
                        "ADDRESS", with: server.address
                    )
                    .split(separator: "\n").map { "  \($0)\n" }.joined(),
                tasks: tasks)
            try await body(box, server)
        }
    }

    private static let file = """
        org.test.file:
          download: ADDRESS/file
          to: data/file
          then: org.test.import
          on_failure: org.test.sorry
        """

    @Test("a download arrives, and the task that follows is told of it; then the run ends")
    func download() async throws {
        try await Self.with(Self.file) { box, server in
            try server.put("file", size: 300_000)
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("Downloaded org.test.file: 300000 bytes"))
            #expect(run.error.contains("[org.test.import] file"), "\(run.error)")
            #expect(run.error.contains("[org.test.import] 300000"), "\(run.error)")
            #expect(!run.error.contains("org.test.sorry] sorry"), "\(run.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
            await box.expectTestEnds(server)

            let again = try await box.run("run")
            #expect(again.code == 0)
            #expect(server.requests.count == 1, "it is done")
            #expect(try await box.history("org.test.import").count == 1)
        }
    }

    @Test("one that was given up launches the other task, and the run fails")
    func failure() async throws {
        try await Self.with(Self.file) { box, server in
            let run = try await box.run("run")
            #expect(run.code == 1)
            #expect(run.error.contains("The transfer of org.test.file failed: "), "\(run.error)")
            #expect(run.error.contains("404"))
            #expect(run.error.contains("[org.test.sorry] sorry: the server answers 404"))
            #expect(try await box.history("org.test.import").isEmpty)
            let list = try await box.transfers("list")
            #expect(list.output.contains("failed: the server answers 404"), "\(list.output)")

            try server.put("file", size: 10)
            #expect(try await box.transfers("resume", "org.test.file").code == 0)
            let second = try await box.run("run")
            #expect(second.code == 0, "\(second.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
        }
    }

    @Test("what is not the file of the digest is never put in place")
    func digest() async throws {
        let digest = String(repeating: "0", count: 64)
        try await Self.with(Self.file + "\n  sha256: \"\(digest)\"\n  retry: never") {
            box, server in
            try server.put("file", size: 10)
            let run = try await box.run("run")
            #expect(run.code == 1)
            #expect(run.error.contains("[org.test.sorry] sorry: "), "\(run.error)")
            #expect(!FileManager.default.fileExists(atPath: box.directory + "/data/file"))
        }
    }

    @Test("a file is sent")
    func upload() async throws {
        let transfers = "org.test.log: {upload: ./log, to: ADDRESS/sent, then: org.test.import}"
        try await Self.with(transfers) { box, server in
            try "twelve bytes".write(
                toFile: box.directory + "/log", atomically: true, encoding: .utf8)
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("Uploaded org.test.log: 12 bytes"), "\(run.error)")
            #expect(run.error.contains("[org.test.import] 12"), "\(run.error)")
            #expect(server.holds("sent", sameAs: box.directory + "/log"))
        }
    }

    enum Victim: CaseIterable {
        case service, host, both
    }

    @Test("whoever is killed, it goes on from where it was", arguments: Victim.allCases)
    func killed(_ victim: Victim) async throws {
        try await Self.with(Self.file, isGated: true) { box, server in
            try server.put("file", size: 1_000_000)
            server.allow(400_000)
            var host = try box.start("run")
            try await server.process.line("held /file 400000")
            _ = try await box.untilTransfers { $0[0].bytes > 0 }
            let service = try #require(box.transferService)
            if victim != .host { kill(service.pid, SIGKILL) }
            if victim != .service {
                host.signal(SIGKILL)
                await host.end()
            }
            if victim == .host {
                #expect(box.transferService?.pid == service.pid, "it outlives the host")
                server.allowAll()
                _ = try await box.untilTransfers { $0[0].state == "completed" }
            }
            if victim != .service { host = try box.start("run") }
            server.allowAll()
            let run = await host.end()
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("[org.test.import] 1000000"), "\(run.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
            let requests = server.requests
            #expect(requests.count == (victim == .host ? 1 : 2), "\(requests)")
            #expect(requests.dropFirst().allSatisfy { !$0.hasSuffix(" from 0") }, "\(requests)")
            #expect(try await box.history("org.test.import").count == 1)
            await box.expectTestEnds(server)
        }
    }

    @Test("`--once` leaves the service at work; the next one launches what follows")
    func once() async throws {
        try await Self.with(Self.file, isGated: true) { box, server in
            try server.put("file", size: 100_000)
            let first = try await box.run("run", "--once")
            #expect(first.code == 0, "\(first.error)")
            try await server.process.line("held /file 0")
            #expect(box.transferService != nil)
            server.allowAll()
            _ = try await box.untilTransfers { $0[0].state == "completed" }
            #expect(try await box.history("org.test.import").isEmpty)
            let second = try await box.run("run", "--once")
            #expect(second.error.contains("[org.test.import] 100000"), "\(second.error)")
            #expect(try await box.transfers()[0].delivered)
            #expect(try await box.run("run", "--once").code == 0)
            #expect(try await box.history("org.test.import").count == 1)
        }
    }

    @Test("a host that is told to end takes the service along, and the next one goes on")
    func orderlyEnd() async throws {
        try await Self.with(Self.file, isGated: true) { box, server in
            try server.put("file", size: 500_000)
            server.allow(200_000)
            let host = try box.start("run")
            try await server.process.line("held /file 200000")
            _ = try await box.untilTransfers { $0[0].bytes > 0 }
            host.signal(SIGTERM)
            #expect(await host.end().code == 0)
            await box.expectTestEnds(server)
            let waiting = try await box.transfers()
            #expect(waiting[0].state == "waiting")
            #expect(waiting[0].reason?.hasPrefix("no host of its app runs") == true)
            server.allowAll()
            #expect(try await box.run("run").code == 0)
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
        }
    }

    @Test("doctor sees a service that is stopped")
    func doctor() async throws {
        try await Self.with(Self.file, isGated: true) { box, server in
            try server.put("file", size: 100_000)
            let host = try box.start("run", "--stay")
            try await server.process.line("held /file 0")
            let service = try #require(box.transferService)
            kill(service.pid, SIGSTOP)
            let stopped = try await box.run("doctor")
            #expect(
                stopped.output.contains(
                    "the transfer service, process \(service.pid), is stopped"),
                "\(stopped.output)")
            kill(service.pid, SIGCONT)
            let good = try await box.run("doctor")
            #expect(good.output.contains("1 to be moved"), "\(good.output)")
            host.signal(SIGTERM)
            await host.end()
        }
    }

    @Test("a person pauses, resumes and cancels, with and without a host")
    func commands() async throws {
        try await Self.with(Self.file, isGated: true) { box, server in
            try server.put("file", size: 100_000)
            server.allow(10_000)
            let host = try box.start("run", "--stay")
            try await server.process.line("held /file 10000")
            let paused = try await box.transfers("pause", "org.test.file")
            #expect(paused.output == "Paused org.test.file\n")
            let rows = try await box.untilTransfers { $0[0].state == "paused" }
            #expect(rows[0].remedy == "it goes on after `bgrun transfers resume 1`")
            host.signal(SIGKILL)
            await host.end()
            #expect(try await box.transfers("resume", "1").output == "Resumed org.test.file\n")
            #expect(try await box.transfers("resume", "1").code == 1)
            server.allowAll()
            #expect(try await box.run("run").code == 0)
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))

            let nothing = try await box.transfers("cancel", "org.test.nothing")
            #expect(nothing.code == 1)
            #expect(nothing.error == "bgrun: there is no transfer \"org.test.nothing\"\n")
        }
    }

    @Test("one that is added by hand waits for a host, and is cancelled for good")
    func added() async throws {
        try await Self.with("", isGated: true) { box, server in
            try server.put("file", size: 1_000)
            let to = box.directory + "/here"
            let add = try await box.transfers(
                "add", server.address + "/file", "--to", to, "--then", "org.test.import")
            #expect(add.output == "Transfer 1: waits for a host of the app\n", "\(add)")
            let second = try await box.transfers("add", server.address + "/file", "--to", to + "2")
            #expect(second.code == 0)
            #expect(try await box.transfers("cancel", "2").code == 0)
            server.allowAll()
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("[org.test.import] 1000"), "\(run.error)")
            #expect(server.holds("file", sameAs: to))
            #expect(try await box.transfers().map(\.state) == ["completed", "cancelled"])
            #expect(server.requests.count == 1)
        }
    }

    @Test("a file that has not changed is not sent again, and launches nothing")
    func unchanged() async throws {
        try await Self.with(Self.file + "\n  every: 1s") { box, server in
            try server.put("file", size: 1_000)
            let host = try box.start("run", "--stay")
            try await host.line("Downloaded org.test.file")
            try await host.line("The file of org.test.file has not changed")
            let before = host.errorLines.count
            try server.put("file", size: 2_000)
            try await host.line("Downloaded org.test.file: 2000 bytes", after: before)
            try await host.line("[org.test.import] 2000")
            host.signal(SIGTERM)
            await host.end()
            #expect(try await box.history("org.test.import").count == 2)
        }
    }

    @Test("of two that launch the same task each is told, one after the other")
    func sameTask() async throws {
        let two = """
            org.test.a: {download: ADDRESS/a, to: data/a, then: org.test.import}
            org.test.b: {download: ADDRESS/b, to: data/b, then: org.test.import}
            """
        try await Self.with(two) { box, server in
            try server.put("a", size: 111)
            try server.put("b", size: 222)
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            for size in ["111", "222"] {
                #expect(run.error.contains("[org.test.import] \(size)\n"), "\(run.error)")
            }
            #expect(try await box.history("org.test.import").count == 2)
        }
    }

    @Test("a changed manifest changes what is transferred")
    func reload() async throws {
        try await Self.with(Self.file, isGated: true) { box, server in
            try server.put("file", size: 50_000)
            try server.put("other", size: 60_000)
            server.allow(1_000)
            let host = try box.start("run", "--stay")
            try await server.process.line("held /file 1000")
            let text = try String(contentsOfFile: box.manifest, encoding: .utf8)
            try text.replacing("/file\n", with: "/other\n").write(
                toFile: box.manifest, atomically: true, encoding: .utf8)
            try await host.line("The changed manifest is in effect")
            server.allowAll()
            try await host.line("[org.test.import] 60000")
            host.signal(SIGTERM)
            await host.end()
            #expect(server.holds("other", sameAs: box.directory + "/data/other"))
            #expect(!FileManager.default.fileExists(atPath: box.directory + "/data/file"))
        }
    }

    @Test("where the simulated network becomes metered it pauses, and goes on afterwards")
    func metered() async throws {
        let transfers = Self.file + "\n  metered: false"
        try await Self.with(transfers, device: "{}", isGated: true) { box, server in
            try server.put("file", size: 500_000)
            try box.write(
                scenario: """
                    duration: 1h
                    device:
                      power: battery
                      network:
                        - {is: unmetered}
                        - {at: 0s, for: 10m, is: metered}
                        - {at: 20m, for: 10m, is: metered}
                    """)
            server.allow(200_000)
            let host = try box.start(
                "run", "--device", "simulated", "--scenario", box.scenario, "--clock",
                "virtual=200")
            try await host.line("The transfer of org.test.file waits: the network is metered")
            try await host.line("The transfer of org.test.file goes on")
            try await server.process.line("held /file 200000")
            let before = host.errorLines.count
            try await host.line("waits: the network is metered", after: before)
            server.allowAll()
            try await host.line("goes on", after: before)
            try await host.line("[org.test.import] 500000")
            let run = await host.end()
            #expect(run.code == 0, "\(run.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
        }
    }

    @Test("service, host and worker are killed in turn, the network becomes metered: it arrives")
    func story() async throws {
        let size = 4_000_000
        let tasks = """
            org.test.import:
              kind: processing
              handler: exec.run
              retry: {from: 1s}
              parameters: {command: 'mkdir once 2> /dev/null && kill -9 $PPID; wc -c < "$BGRUN_TRANSFER_FILE"'}
            """
        try await Self.with("", tasks: tasks, device: "{}", isGated: true) { box, server in
            try server.put("file", size: size)
            let digest = try await box.startProgram(
                "/usr/bin/sha256sum", [server.directory + "/file"]
            ).end().output.prefix(64)
            let transfers = """
                transfers:
                  org.test.file:
                    download: \(server.address)/file
                    to: data/file
                    sha256: "\(digest)"
                    metered: false
                    then: org.test.import
                """
            let text = try String(contentsOfFile: box.manifest, encoding: .utf8)
            try text.replacing("transfers:\n  {}", with: transfers).write(
                toFile: box.manifest, atomically: true, encoding: .utf8)
            try box.write(
                scenario: """
                    duration: 5h
                    device:
                      power: battery
                      network: [{is: unmetered}, {at: 20m, for: 1h, is: metered}]
                    """)
            let rehearse = {
                try box.start(
                    "run", "--device", "simulated", "--scenario", box.scenario, "--clock",
                    "virtual=200")
            }

            let first = try rehearse()
            server.allow(size / 4)
            try await server.process.line("held /file 1000000")
            _ = try await box.untilTransfers { $0[0].bytes > 0 }
            kill(try #require(box.transferService).pid, SIGKILL)
            server.allow(size / 4)
            try await first.line("The transfer service was ended by SIGKILL")
            try await server.process.line("request GET /file from", after: 3)
            first.signal(SIGKILL)
            await first.end()

            let host = try rehearse()
            try await host.line("waits: the network is metered")
            server.allowAll()
            try await host.line("The transfer of org.test.file goes on")
            try await host.line("[org.test.import] \(size)")
            let run = await host.end()
            #expect(run.error.contains("Downloaded org.test.file: \(size) bytes"), "\(run.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
            let attempts = try await box.history("org.test.import")
            #expect(attempts.map(\.outcome) == ["crashed", "completed"])
            #expect(server.requests.dropFirst().allSatisfy { !$0.hasSuffix(" from 0") })
        }
    }

    @Test("a force-quit cancels, and opening the app submits again")
    func forceQuit() async throws {
        try await Self.with(Self.file, isGated: true) { box, server in
            try server.put("file", size: 50_000)
            server.allow(1_000)
            let host = try box.start("run", "--stay")
            try await server.process.line("held /file 1000")
            try await box.run("quit", "--force")
            try await host.line("The transfer of org.test.file was cancelled")
            server.allowAll()
            try await box.run("open")
            try await host.line("Downloaded org.test.file: 50000 bytes")
            host.signal(SIGTERM)
            await host.end()
            #expect(try await box.transfers().map(\.state) == ["cancelled", "completed"])
        }
    }
}

extension Sandbox {
    /// Waits until nothing is left but the server.
    fileprivate func expectTestEnds(
        _ server: FileServer, _ location: SourceLocation = #_sourceLocation
    ) async {
        let isOver = await eventually { processes.allSatisfy { $0.pid == server.process.pid } }
        #expect(isOver, "still alive: \(processes)", sourceLocation: location)
    }
}
