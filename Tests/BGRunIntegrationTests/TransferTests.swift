// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Downloads and uploads of a manifest, between the real service and a real server.
@Suite("Transfers", .timeLimit(.minutes(5)))
struct TransferTests {
    @Test("a download arrives, and the following task gets it; then the run ends")
    func download() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile) { box, server in
            try server.put("file", size: 300_000)
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("Downloaded org.test.file: 300000 bytes"))
            #expect(run.error.contains("[org.test.import] file"), "\(run.error)")
            #expect(run.error.contains("[org.test.import] 300000"), "\(run.error)")
            #expect(!run.error.contains("org.test.sorry] sorry"), "\(run.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
            await box.expectTestEnds(server)

            #expect(try await box.run("run").code == 0)
            #expect(server.requests.count == 1, "it is done")
            #expect(try await box.history("org.test.import").count == 1)
        }
    }

    @Test("a transfer that is given up launches its failure task, and the run fails")
    func failure() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile) { box, server in
            let run = try await box.run("run")
            #expect(run.code == 1)
            #expect(run.error.contains("The transfer of org.test.file failed: "), "\(run.error)")
            #expect(run.error.contains("404"))
            #expect(run.error.contains("[org.test.sorry] sorry: the server answers 404"))
            #expect(try await box.history("org.test.import").isEmpty)
            let list = try await box.transfers("list")
            let state = /failed at 2[-0-9]+ [:0-9]+: the server answers 404; correct the address\n/
            #expect(list.output.contains(state), "\(list.output)")
            let explain = try await box.run("explain", "org.test.file").output
            #expect(
                explain.hasPrefix("org.test.file (download 1) has failed at 2"), "\(explain)")

            try server.put("file", size: 10)
            #expect(try await box.transfers("resume", "org.test.file").code == 0)
            let second = try await box.run("run")
            #expect(second.code == 0, "\(second.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
        }
    }

    @Test("a file with another digest is never moved to its destination")
    func digest() async throws {
        let digest = String(repeating: "0", count: 64)
        try await Sandbox.withTransfers(
            Sandbox.declaredFile + "\n  sha256: \"\(digest)\"\n  retry: never"
        ) {
            box, server in
            try server.put("file", size: 10)
            let run = try await box.run("run")
            #expect(run.code == 1)
            #expect(run.error.contains("[org.test.sorry] sorry: "), "\(run.error)")
            #expect(!FileManager.default.fileExists(atPath: box.directory + "/data/file"))
        }
    }

    @Test("a file is uploaded")
    func upload() async throws {
        let transfers = "org.test.log: {upload: ./log, to: ADDRESS/sent, then: org.test.import}"
        try await Sandbox.withTransfers(transfers) { box, server in
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

    @Test(
        "a transfer resumes from where it was, whichever process is killed",
        arguments: Victim.allCases)
    func killed(_ victim: Victim) async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile, isGated: true) { box, server in
            try server.put("file", size: 1_000_000)
            server.allow(400_000)
            var host = try box.start("run")
            try await server.process.line("held /file 400000")
            _ = try await box.untilTransfers { $0[0].bytes > 0 }
            let service = try #require(box.transferService)
            if victim != .host { kill(service.pid, SIGKILL) }
            if victim != .service {
                await host.stop(SIGKILL)
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
            #expect(requests.count >= (victim == .host ? 1 : 2), "\(requests)")
            #expect(requests.dropFirst().allSatisfy { !$0.hasSuffix(" from 0") }, "\(requests)")
            #expect(try await box.history("org.test.import").count == 1)
            await box.expectTestEnds(server)
        }
    }

    @Test(
        "`--once` leaves the service running, also for a later date; the next run launches the task",
        arguments: ["", "\n  earliest: 3s"])
    func once(_ date: String) async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile + date, isGated: true) { box, server in
            try server.put("file", size: 100_000)
            let first = try await box.run("run", "--once")
            #expect(first.code == 0, "\(first.error)")
            #expect(
                first.error.contains(
                    "1 transfer is not finished; the transfer service continues it without a host: see "
                        + "`bgrun transfers --app org.test.app --state \(box.state)`"),
                "\(first.error)")
            try await server.process.line("held /file 0")
            #expect(box.transferService != nil)
            server.allowAll()
            _ = try await box.untilTransfers { $0[0].state == "completed" }
            #expect(try await box.history("org.test.import").isEmpty)
            let second = try await box.run("run", "--once")
            #expect(second.error.contains("[org.test.import] 100000"), "\(second.error)")
            #expect(!second.error.contains("not finished"), "\(second.error)")
            #expect(try await box.transfers()[0].delivered)
            #expect(try await box.run("run", "--once").code == 0)
            #expect(try await box.history("org.test.import").count == 1)
        }
    }

    @Test("a host that ends ends the service, and the next one resumes")
    func orderlyEnd() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile, isGated: true) { box, server in
            try server.put("file", size: 500_000)
            server.allow(200_000)
            let host = try box.start("run")
            try await server.process.line("held /file 200000")
            _ = try await box.untilTransfers { $0[0].bytes > 0 }
            #expect(await host.stop().code == 0)
            await box.expectTestEnds(server)
            let waiting = try await box.transfers()
            #expect(waiting[0].state == "waiting")
            #expect(waiting[0].reason?.hasPrefix("no host of its app runs") == true)
            server.allowAll()
            #expect(try await box.run("run").code == 0)
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
        }
    }

    @Test("doctor detects a stopped service")
    func doctor() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile, isGated: true) { box, server in
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
            await host.stop()
        }
    }

    @Test("a user pauses, resumes and cancels, with and without a host")
    func commands() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile, isGated: true) { box, server in
            try server.put("file", size: 100_000)
            server.allow(10_000)
            let host = try box.start("run", "--stay")
            try await server.process.line("held /file 10000")
            let paused = try await box.transfers("pause", "org.test.file")
            #expect(paused.output == "Paused org.test.file\n")
            let rows = try await box.untilTransfers { $0[0].state == "paused" }
            #expect(rows[0].remedy == "it continues after `bgrun transfers resume 1`")
            await host.stop(SIGKILL)
            #expect(try await box.transfers("resume", "1").output == "Resumed org.test.file\n")
            let running = try await box.transfers("resume", "1")
            #expect(running.code == 1 && running.output == "")
            #expect(
                running.error.hasPrefix("bgrun: nothing to resume: org.test.file is "),
                "\(running.error)")
            server.allowAll()
            #expect(try await box.run("run").code == 0)
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
            for word in ["pause", "resume", "cancel"] {
                let finished = try await box.transfers(word, "org.test.file")
                #expect(finished.code == 1 && finished.output == "")
                #expect(
                    finished.error.hasPrefix(
                        "bgrun: nothing to \(word): org.test.file has completed at 2"),
                    "\(finished.error)")
            }

            let nothing = try await box.transfers("cancel", "org.test.nothing")
            #expect(nothing.code == 1)
            #expect(
                nothing.error
                    == "bgrun: unknown transfer \"org.test.nothing\"; give a number, a name or a session that "
                    + "`bgrun transfers --all` lists\n")
        }
    }

    @Test("a transfer added without a host continues alone, and can be cancelled")
    func added() async throws {
        try await Sandbox.withTransfers("", isGated: true) { box, server in
            try server.put("file", size: 1_000)
            let to = box.directory + "/here"
            let add = try await box.transfers(
                "add", server.address + "/file", "--to", to, "--then", "org.test.import")
            #expect(
                add.output
                    == "Transfer 1: accepted; the transfer service runs it without a host; "
                    + "what follows it waits for a host\n", "\(add)")
            #expect(await eventually { box.transferService != nil })
            let second = try await box.transfers("add", server.address + "/file", "--to", to + "2")
            #expect(second.code == 0)
            #expect(try await box.transfers("cancel", "2").code == 0)
            server.allowAll()
            let run = try await box.run("run")
            #expect(run.code == 0, "\(run.error)")
            #expect(run.error.contains("[org.test.import] 1000"), "\(run.error)")
            #expect(server.holds("file", sameAs: to))
            #expect(try await box.transfers().map(\.state) == ["completed", "cancelled"])
        }
    }

    @Test("a follow-up that the manifest does not admit, and a missing upload file, are refused")
    func refusedAdditions() async throws {
        try await Sandbox.withTransfers("") { box, server in
            let (file, to) = (server.address + "/file", box.directory + "/here")
            for option in ["--then", "--on-failure"] {
                let typo = try await box.transfers(
                    "add", file, "--to", to, option, "org.test.imprt")
                #expect(typo.code == 77, "\(typo)")
                #expect(
                    typo.error
                        == "bgrun: No launch handler registered for task with identifier org.test.imprt; "
                        + "did you mean \"org.test.import\"?\n")
            }
            let alien = try await box.transfers(
                "add", file, "--to", to, "--then", "com.other.import")
            #expect(alien.code == 77, "\(alien)")
            #expect(alien.error.contains("\"com.other.import\" is not in permitted_identifiers"))
            let missing = try await box.transfers("add", file, "--from", to)
            #expect(missing.code == 66, "\(missing)")
            let remedy = "; name a file that you may read\n"
            #expect(missing.error == "bgrun: --from \(to): No such file or directory" + remedy)
            let directory = try await box.transfers("add", file, "--from", box.directory)
            #expect(directory.code == 66, "\(directory)")
            #expect(
                directory.error == "bgrun: --from \(box.directory): not a regular file" + remedy)
            #expect(try await box.transfers().isEmpty)
        }
    }

    @Test("a transfer with conditions that only a host knows waits for a host")
    func addedForHost() async throws {
        try await Sandbox.withTransfers("", device: "{}") { box, server in
            let add = try await box.transfers(
                "add", server.address + "/file", "--to", box.directory + "/here", "--unmetered")
            #expect(add.output == "Transfer 1: waits for a host of the app\n", "\(add)")
            #expect(box.transferService == nil)
        }
    }

    @Test(
        "`--once` without a network leaves a service that waits for one, as the manifest states"
    )
    func onceOffline() async throws {
        let transfers = """
            org.test.file: {download: ADDRESS/file, to: data/file, then: org.test.import}
            org.test.later: {download: ADDRESS/file, to: data/later, metered: false}
            """
        try await Sandbox.withTransfers(transfers, device: "{}") { box, server in
            try server.put("file", size: 10_000)
            try box.write(scenario: "duration: 5h\ndevice: {power: battery, network: none}")
            let first = try await box.run(
                "run", "--once", "--device", "simulated", "--scenario", box.scenario)
            #expect(first.code == 0, "\(first.error)")
            _ = try await box.untilTransfers { $0[0].state == "completed" }
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
            await box.expectTestEnds(server)
            #expect(try await box.transfers()[1].state == "waiting", "the network is unknown")
        }
    }

    @Test("a file that has not changed is not sent again, and launches nothing")
    func unchanged() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile + "\n  every: 1s") { box, server in
            try server.put("file", size: 1_000)
            let host = try await box.host("--stay", until: "Downloaded org.test.file")
            try await host.line("The file of org.test.file has not changed")
            let before = host.errorLines.count
            try server.put("file", size: 2_000)
            try await host.line("Downloaded org.test.file: 2000 bytes", after: before)
            try await host.line("[org.test.import] 2000")
            await host.stop()
            #expect(try await box.history("org.test.import").count == 2)
        }
    }

    @Test("two transfers that launch the same task are delivered in turn")
    func sameTask() async throws {
        let two = """
            org.test.a: {download: ADDRESS/a, to: data/a, then: org.test.import}
            org.test.b: {download: ADDRESS/b, to: data/b, then: org.test.import}
            """
        try await Sandbox.withTransfers(two) { box, server in
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

    @Test("a task without a free slot is launched later, and the host does not spin")
    func noFreeSlot() async throws {
        let tasks = """
            org.test.import: {kind: processing, submit: manual, handler: exec.run, parameters: {command: 'echo told'}}
            org.test.full: {kind: processing, handler: exec.run, requires: {power: external}, parameters: {command: 'true'}}
            """
        let transfers = "org.test.file: {download: ADDRESS/file, to: file, then: org.test.import}"
        try await Sandbox.withTransfers(transfers, tasks: tasks) { box, server in
            try server.put("file", size: 10)
            try box.changeManifest("profile: server", to: "profile: server, pending_processing: 1")
            let host = try await box.host("--stay", until: "Downloaded org.test.file")
            for _ in 0..<3 { try await box.run("pending") }
            #expect(host.errorLines.count { $0.contains("Could not schedule") } <= 1)
            try await box.run("cancel", "org.test.full")
            try await host.line("told")
            await host.stop()
        }
    }

    @Test("explain states what a transfer waits for and how to change it")
    func explain() async throws {
        let device = "{power: battery, network: metered}"
        try await Sandbox.withTransfers(
            Sandbox.declaredFile + "\n  discretionary: true", device: device
        ) { box, _ in
            let before = try await box.run("explain", "org.test.file").output
            #expect(
                before
                    == "org.test.file is declared and was never submitted: no host has run since\n")
            let host = try box.start("run")
            try await host.line("The transfer of org.test.file waits: the network is metered")
            let text = try await box.run("explain", "org.test.file").output
            for part in [
                "is waiting: the network is metered; it continues once there is an unmetered one",
                "needs      an unmetered network and external power",
                "follows    org.test.import when it has succeeded, org.test.sorry when it has failed",
            ] {
                #expect(text.contains(part), "\(text)")
            }
            let pending = try await box.run("pending").output
            #expect(pending.contains("1 transfer is not finished"), "\(pending)")
            #expect(box.transferService == nil, "nothing could be moved")
            #expect(await host.stop().code == 0)
        }
    }
}
