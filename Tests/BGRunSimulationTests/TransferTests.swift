// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import Testing

@Suite("Transfers in a scenario, computed by hand", .timeLimit(.minutes(10)))
struct TransferTests {
    private func run(
        _ transfers: String,
        tasks: String = Sample.task("import", "kind: processing, submit: manual"),
        policy: String = "{\(Sample.unsettled)}", _ scenario: String, seed: UInt64 = 1
    ) throws -> SimulationResult {
        let result = try Sample.run(
            tasks + "transfers:\n" + transfers, policy: policy, scenario, seed: seed)
        #expect(result.faults == [])
        return result
    }

    private static let catalog = "  com.app.catalog: {download: https://a.org/c, to: c"

    @Test("a file is complete when the bandwidth has moved it, and its task is launched then")
    func plain() throws {
        let result = try run(
            Self.catalog + ", then: com.app.import}",
            """
            duration: 1h
            device: {network: unmetered, bandwidth: 500kB}
            transfers: {com.app.catalog: {size: 100MB}}
            """)
        #expect(result.transfers[0].lengths == [200_000_000_000])
        #expect(result.transfers[0].moved == 100_000_000)
        #expect(result.transfers[0].movedMetered == 0)
        #expect(try result.attempts("import") == ["200-210 completed"])
    }

    @Test("a running transfer is not restarted by an event that submits it")
    func underWay() throws {
        let result = try run(
            Self.catalog + "}",
            """
            duration: 1h
            device: {network: unmetered, bandwidth: 500kB}
            events: [{at: 100s, transfer: com.app.catalog}]
            transfers: {com.app.catalog: {size: 100MB}}
            """)
        #expect(result.transfers[0].lengths == [200_000_000_000])
        #expect(result.transfers[0].moved == 100_000_000)
    }

    @Test("more bytes than 64 bits can count are the largest number")
    func moved() throws {
        let result = try run(
            Self.catalog + ", max_size: 1048576GiB, every: 1s}",
            """
            duration: 200d
            device: {network: unmetered, bandwidth: 1024GiB}
            transfers: {com.app.catalog: {size: 1048576GiB}}
            """)
        #expect(result.transfers[0].moved == .max)
    }

    @Test("a transfer has at least one byte")
    func size() throws {
        func transfer(_ size: String) throws {
            _ = try run(
                Self.catalog + "}",
                "duration: 1h\ntransfers: {com.app.catalog: {size: \(size)}}")
        }
        try transfer("1B")
        #expect(throws: ManifestProblems.self) { try transfer("0B") }
    }

    @Test("a transfer without metered networks pauses on one, and resumes where it was")
    func metered() throws {
        let scenario = """
            duration: 1h
            device:
              network: [{is: metered}, {at: 0s, for: 60s}, {at: 5m, for: 1m}]
              bandwidth: 1MB
            transfers: {com.app.catalog: {size: 100MB}}
            """
        let paused = try run(Self.catalog + ", metered: false}", scenario)
        #expect(paused.transfers[0].lengths == [340_000_000_000])
        #expect(paused.transfers[0].pauses == 1)
        #expect(paused.transfers[0].movedMetered == 0)
        #expect(paused.transfers[0].blocked == ["the network is metered": 240_000_000_000])
        let other = try run(Self.catalog + "}", scenario)
        #expect(other.transfers[0].lengths == [100_000_000_000])
        #expect(other.transfers[0].movedMetered == 40_000_000)
    }

    @Test("a server that cannot resume is asked for the whole file again")
    func noResumption() throws {
        let result = try run(
            Self.catalog + "}",
            """
            duration: 1h
            device: {network: [{at: 0s, for: 60s}, {at: 5m, for: 5m}], bandwidth: 1MB}
            transfers: {"*": {size: 100MB, resumes: false}}
            """)
        #expect(result.transfers[0].lengths == [400_000_000_000])
        #expect(result.transfers[0].moved == 160_000_000)
    }

    @Test("a discretionary transfer also waits for external power")
    func discretionary() throws {
        let result = try run(
            Self.catalog + ", discretionary: true}",
            """
            duration: 1h
            device: {network: unmetered, power: [{at: 10m, for: 30s}, {at: 20m, for: 20m}]}
            transfers: {"*": {size: 50MB}}
            """)
        #expect(result.transfers[0].lengths == [1_220_000_000_000])
        #expect(result.transfers[0].pauses == 1)
    }

    @Test("several transfers share the bandwidth, and leave unused bandwidth to the others")
    func sharing() throws {
        let result = try run(
            """
              com.app.a: {download: https://a.org/a, to: a, rate: 100kB}
              com.app.b: {download: https://b.org/b, to: b}
              com.app.c: {download: https://c.org/c, to: c}
            """,
            """
            duration: 1h
            device: {network: unmetered, bandwidth: 1MB}
            transfers: {com.app.a: {size: 10MB}, com.app.b: {size: 45MB}, com.app.c: {size: 90MB}}
            """)
        // 450 kB/s each for b and c; then a has 100 and c 900 kB/s until both are done.
        #expect(
            result.transfers.map(\.lengths)
                == [[100_000_000_000], [100_000_000_000], [145_000_000_000]])
    }

    @Test("a limited number is connected to a server, and the others wait for their turn")
    func connections() throws {
        let result = try run(
            """
              com.app.a: {download: https://a.org/a, to: a, connections: 1}
              com.app.b: {download: https://a.org/b, to: b, connections: 1}
            """,
            """
            duration: 1h
            device: {network: unmetered}
            transfers: {"*": {size: 60MB}}
            """)
        #expect(result.transfers.map(\.lengths) == [[60_000_000_000], [120_000_000_000]])
        #expect(
            result.transfers[1].blocked
                == ["1 connection to a.org is already open": 60_000_000_000])
    }

    @Test("a repeated transfer starts after its interval or at its hour")
    func again() throws {
        let result = try run(
            Self.catalog + ", every: 30m}",
            """
            duration: 2h
            device: {network: unmetered}
            transfers: {"*": {size: 60MB}}
            events: [{at: 10m, transfer: com.app.catalog}]
            """)
        // 0-1, 10-11, 41-42, 72-73, 103-104
        #expect(result.transfers[0].completed == 5)
        // One submission waits for its hour when the event replaces it, another one at the end.
        #expect(result.transfers[0].submitted == 7)
        #expect(result.transfers[0].unfinished == nil)
    }

    @Test("a force-quit cancels all transfers, and opening the app restarts them")
    func forceQuit() throws {
        let result = try run(
            Self.catalog + "}",
            """
            duration: 1h
            device: {network: unmetered}
            transfers: {"*": {size: 60MB}}
            events: [{at: 30s, app: force-quit}, {at: 10m, app: open}, {at: 20m, app: open}]
            """)
        #expect(result.transfers[0].failed == 1)
        #expect(result.transfers[0].lengths == [60_000_000_000])
        #expect(result.transfers[0].moved == 90_000_000)
        #expect(result.transfers[0].submitted == 2)
    }

    @Test("an unfinished transfer is reported with the bytes that have arrived")
    func unfinished() throws {
        let result = try run(
            Self.catalog + "}",
            """
            duration: 1m
            device: {network: unmetered, bandwidth: [{is: 1MB}, {at: 20s, for: 10s}]}
            transfers: {"*": {size: 60MB}}
            """)
        let part = try #require(result.transfers[0].unfinished)
        #expect(part.bytes == 50_000_000 && part.size == 60_000_000)
    }

    @Test("nothing moves while the machine sleeps")
    func suspended() throws {
        let result = try run(
            Self.catalog + "}",
            """
            duration: 1h
            suspend: [{at: 30s, for: 10m}]
            device: {network: unmetered}
            transfers: {"*": {size: 60MB}}
            """)
        #expect(result.transfers[0].lengths == [660_000_000_000])
        #expect(result.transfers[0].moved == 60_000_000)
    }

    @Test(
        "an interrupted try is repeated, and given up if it was the last", arguments: 1...8)
    func cutOff(seed: UInt64) throws {
        let scenario = """
            duration: 2d
            device: {network: unmetered}
            transfers: {"*": {size: 60MB, cut: 100%}}
            """
        // Each attempt receives some bytes, which resets the count of consecutive failures.
        let endless = try run(Self.catalog + "}", scenario, seed: seed)
        #expect(endless.transfers[0].cuts > 3)
        #expect(endless.transfers[0].moved <= 60_000_000)
        let once = try run(
            Self.catalog + ", retry: never, on_failure: com.app.import}", scenario, seed: seed)
        #expect(once.transfers[0].failed == 1)
        #expect(once.transfers[0].cuts == 1)
        #expect(try result(once, "import").launches == 1)
    }

    private func result(_ result: SimulationResult, _ task: String) throws -> TaskTally {
        try result.tally(task)
    }

    @Test(
        "assertions may be about transfers",
        arguments: [
            ("catalog.transferred == 1", nil), ("*.paused == 0", nil),
            ("catalog.transfer_max <= 1m", nil), ("com.app.catalog.bytes_moved < 60", "6"),
            ("*.unfinished == 1", "0"), ("catalog.transfer_p50 > 1m", "1m"),
        ])
    func assertions(text: String, objection: String?) throws {
        let result = try run(
            Self.catalog + "}",
            """
            duration: 1h
            device: {network: unmetered}
            transfers: {"*": {size: 60MB}}
            """)
        let found = try Assertion(text).objection(in: result)
        #expect((found == nil) == (objection == nil), "\(found ?? "it holds")")
        if let objection { #expect(found?.contains(" is \(objection)") == true, "\(found ?? "")") }
    }

    @Test("no network moves more than its bandwidth", arguments: 1...20)
    func bounded(seed: UInt64) throws {
        let result = try run(
            (0..<6).map { index in
                "  com.app.t\(index): {download: https://h\(index % 3).org/f, to: f\(index), "
                    + "every: \(index + 1)h, metered: \(index % 2 == 0), connections: 1}\n"
            }.joined(),
            """
            duration: 2d
            jitter: 20m
            device:
              network: [{is: metered}, {every: day, at: 09:00, for: 5h}, {at: 30h, for: 1h, is: none}]
              bandwidth: [{is: 20kB}, {every: 3h, for: 1h, is: 90kB}]
            suspend: [{every: day, at: 01:00, for: 3h}]
            transfers: {"*": {size: 77MB, cut: 40%}, com.app.t3: {size: 1MB, resumes: false}}
            """, seed: seed)
        let moved = result.transfers.map(\.moved).reduce(0, +)
        #expect(moved > 0)
        #expect(moved <= 90_000 * 2 * 86_400)
        #expect(
            result.transfers.enumerated().allSatisfy {
                $0.offset % 2 == 0 || $0.element.movedMetered == 0
            })
        for tally in result.transfers {
            #expect(tally.completed + tally.failed <= tally.submitted)
        }
    }
}
