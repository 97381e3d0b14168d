// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// Transfers while the network, the manifest and the processes change.
@Suite("Transfers in a changing world", .timeLimit(.minutes(5)))
struct TransferStoryTests {
    @Test("a service whose database was removed ends, and the next one runs what is added then")
    func removedDatabase() async throws {
        try await Sandbox.withTransfers("", isGated: true) { box, server in
            try server.put("file", size: 1_000)
            server.allow(100)
            let (url, to) = (server.address + "/file", box.directory + "/here")
            #expect(try await box.transfers("add", url, "--to", to).code == 0)
            try await server.process.line("held /file 100")
            for end in ["", "-wal", "-shm"] {
                let file = box.state + "/org.test.app/transfers.sqlite" + end
                try FileManager.default.removeItem(atPath: file)
            }
            server.allowAll()
            #expect(await eventually { box.transferService == nil })
            let log = try String(
                contentsOfFile: box.state + "/org.test.app/service.log", encoding: .utf8)
            #expect(log.contains("transfers.sqlite was removed, replaced or overwritten"), "\(log)")
            #expect(try await box.transfers("add", url, "--to", to).code == 0)
            _ = try await box.untilTransfers { $0.map(\.state) == ["completed"] }
            #expect(server.holds("file", sameAs: to))
        }
    }

    @Test("a waiting host whose transfers were replaced ends, and new ones are transferred")
    func replacedDatabase() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile + "\n  earliest: 1h") { box, server in
            try server.put("file", size: 1_000)
            let host = try box.start("run", "--stay")
            _ = try await box.untilTransfers { $0.first?.state == "waiting" }
            for end in ["", "-wal", "-shm"] {
                let file = box.state + "/org.test.app/transfers.sqlite" + end
                try FileManager.default.removeItem(atPath: file)
            }
            let (url, to) = (server.address + "/file", box.directory + "/here")
            let added = try await box.transfers("add", url, "--to", to)
            #expect(added.code == 0 && added.output.contains("without a host"), "\(added)")
            try await host.line("transfers.sqlite was removed, replaced or overwritten")
            #expect(await host.end().code == 74)
            _ = try await box.untilTransfers { $0.map(\.state) == ["completed"] }
            #expect(server.holds("file", sameAs: to))
        }
    }

    @Test("a transfer before its date can be cancelled without a host; resumed, it starts at once")
    func beforeDate() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile + "\n  earliest: 1h") { box, server in
            try server.put("file", size: 1_000)
            let host = try box.start("run", "--stay")
            _ = try await box.untilTransfers { $0.first?.state == "waiting" }
            await host.stop()
            #expect(await eventually { box.transferService == nil })
            #expect(try await box.transfers("cancel", "org.test.file").code == 0)
            _ = try await box.untilTransfers { $0.first?.state == "cancelled" }
            #expect(await eventually { box.transferService == nil })
            #expect(try await box.transfers("resume", "org.test.file").code == 0)
            #expect(try await box.run("run").code == 0)
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
        }
    }

    @Test("a transfer pauses while the simulated network is metered")
    func metered() async throws {
        let transfers = Sandbox.declaredFile + "\n  metered: false"
        try await Sandbox.withTransfers(transfers, device: "{}", isGated: true) { box, server in
            try server.put("file", size: 500_000)
            try box.write(
                scenario: """
                    duration: 5h
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
            try await host.line("The transfer of org.test.file continues")
            let before = try #require(host.errorLines.firstIndex { $0.contains("continues") })
            try await host.line("waits: the network is metered", after: before)
            server.allowAll()
            try await host.line("continues", after: before + 1)
            try await host.line("[org.test.import] 500000")
            let run = await host.end()
            #expect(run.code == 0, "\(run.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
        }
    }

    @Test("a server that does not answer does not stop the time of a simulated day")
    func silence() async throws {
        let transfers = """
            org.test.file: {download: "http://127.0.0.1:9/file", to: data/file, retry: {from: 1h}}
            """
        try await Sandbox.withTransfers(transfers, device: "{}") { box, _ in
            try box.write(scenario: "duration: 1d\ndevice: {network: unmetered}")
            let run = try await box.run(
                "run", "--device", "simulated", "--scenario", box.scenario, "--clock", "virtual")
            #expect(run.code == 0, "\(run.error)")
        }
    }

    @Test("a file arrives although service, host and worker are killed and the network is metered")
    func story() async throws {
        let size = 4_000_000
        let tasks = """
            org.test.import:
              kind: processing
              handler: exec.run
              retry: {from: 1s}
              parameters: {command: 'mkdir once 2> /dev/null && kill -9 $PPID; wc -c < "$BGRUN_TRANSFER_FILE"'}
            """
        try await Sandbox.withTransfers("", tasks: tasks, device: "{}", isGated: true) {
            box, server in
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
            try box.changeManifest("transfers:\n  {}", to: transfers)
            let rehearse = { (network: String) in
                try box.write(
                    scenario: "duration: 5h\ndevice: {power: battery, network: \(network)}")
                return try box.start(
                    "run", "--device", "simulated", "--scenario", box.scenario, "--clock",
                    "virtual=200")
            }

            let first = try rehearse("unmetered")
            server.allow(size / 4)
            try await server.process.line("held /file 1000000")
            _ = try await box.untilTransfers { $0[0].bytes > 0 }
            kill(try #require(box.transferService).pid, SIGKILL)
            server.allow(size / 4)
            try await first.line("The transfer service was ended by SIGKILL")
            try await server.process.line("request GET /file from", after: 3)
            await first.stop(SIGKILL)

            let host = try rehearse("[{is: unmetered}, {at: 20m, for: 1h, is: metered}]")
            try await host.line("waits: the network is metered")
            server.allowAll()
            try await host.line("The transfer of org.test.file continues")
            try await host.line("[org.test.import] \(size)")
            let run = await host.end()
            #expect(run.error.contains("Downloaded org.test.file: \(size) bytes"), "\(run.error)")
            #expect(server.holds("file", sameAs: box.directory + "/data/file"))
            let attempts = try await box.history("org.test.import")
            #expect(attempts.map(\.outcome) == ["crashed", "completed"])
            #expect(server.requests.dropFirst().allSatisfy { !$0.hasSuffix(" from 0") })
        }
    }

    @Test("a changed manifest changes its transfers")
    func reload() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile, isGated: true) { box, server in
            try server.put("file", size: 50_000)
            try server.put("other", size: 60_000)
            server.allow(1_000)
            let host = try box.start("run", "--stay")
            try await server.process.line("held /file 1000")
            try box.changeManifest("/file\n", to: "/other\n")
            try await host.line("The changed manifest is in effect")
            server.allowAll()
            try await host.line("[org.test.import] 60000")
            await host.stop()
            #expect(server.holds("other", sameAs: box.directory + "/data/other"))
            // No file of the removed transfer remains, not even a hidden part.
            let files = try FileManager.default.contentsOfDirectory(
                atPath: box.directory + "/data")
            #expect(files == ["other"])
        }
    }

    @Test("a force-quit cancels transfers, and opening the app submits them again")
    func forceQuit() async throws {
        try await Sandbox.withTransfers(Sandbox.declaredFile, isGated: true) { box, server in
            try server.put("file", size: 50_000)
            server.allow(1_000)
            let host = try box.start("run", "--stay")
            try await server.process.line("held /file 1000")
            try await box.run("quit", "--force")
            try await host.line("The transfer of org.test.file was cancelled")
            server.allowAll()
            try await box.run("open")
            try await host.line("Downloaded org.test.file: 50000 bytes")
            await host.stop()
            #expect(try await box.transfers().map(\.state) == ["cancelled", "completed"])
        }
    }
}
