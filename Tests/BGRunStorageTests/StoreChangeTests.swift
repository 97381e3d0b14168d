// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Testing

@testable import BGRunStorage

@Suite("Store changes", .timeLimit(.minutes(10)))
struct StoreChangeTests {
    let scratch: Scratch
    let store: Store

    init() throws {
        scratch = try Scratch()
        store = try scratch.open()
    }

    static let full = TaskRequest(
        id: 7, identifier: "com.example.photos.export.camera", kind: .processing,
        submitted: WallTime(milliseconds: .max), earliest: WallTime(milliseconds: -1),
        parameters: #"{"album": "Überall"}"#, failures: 3, interruptions: 2)

    static let demanding = TaskRequest(
        id: 8, identifier: "a", kind: .processing, submitted: WallTime(milliseconds: 1),
        requires: [.externalPower, .gpu],
        occurrence: WallTime(milliseconds: -77))

    static let immediate = TaskRequest(
        id: 9, identifier: "a", kind: .continued, submitted: WallTime(milliseconds: 1),
        requires: .gpu, isOnlyImmediate: true)

    static let annotated = TaskRequest(
        id: 6, identifier: "a", kind: .processing, submitted: WallTime(milliseconds: 1),
        annotations: Annotations(tags: ["nightly", "sync"]))

    @Test("the last reported visit of each plugin is stored")
    func visits() throws {
        try store.apply(
            .rememberVisit(plugin: "app", at: WallTime(milliseconds: 1)),
            .rememberVisit(plugin: "other", at: WallTime(milliseconds: 2)))
        try store.apply(.rememberVisit(plugin: "app", at: WallTime(milliseconds: 3)))
        #expect(try store.visits() == ["app": 3, "other": 2])
    }

    private static var spaced: TaskRequest {
        var request = demanding
        request.isSpaced = true
        return request
    }

    @Test(
        "a request is read unchanged",
        arguments: [full, .sample(1), .sample(2, "a"), demanding, immediate, spaced, annotated])
    func request(_ request: TaskRequest) throws {
        try store.apply(.putRequest(request))
        #expect(try store.request(request.identifier) == request)
    }

    @Test("a request replaces the pending one of its identifier")
    func replacement() throws {
        try store.apply(
            .putRequest(.sample(1)), .putRequest(.sample(2, kind: .processing)),
            .putRequest(.sample(3, "com.example.other")))
        #expect(try store.pending(limit: 9).map(\.id) == [3, 2])
        #expect(try store.pendingCount() == 2)
        #expect(try store.pendingCount(kind: .appRefresh) == 1)
        #expect(try store.pendingCount(kind: .processing) == 1)
        #expect(try store.pendingCount(kind: .push) == 0)
    }

    @Test("all fields of a replacement are stored")
    func replacedWhole() throws {
        var waiting = Self.demanding
        waiting.waitingSince = WallTime(milliseconds: 88)
        for request in [Self.immediate, waiting, Self.demanding, Self.immediate] {
            try store.apply(.putRequest(request))
            #expect(try store.request("a") == request)
        }
    }

    @Test("a removed request is not read, and removing a missing one does nothing")
    func removal() throws {
        try store.apply(.putRequest(.sample(1)), .removeRequest(identifier: "com.example.refresh"))
        try store.apply(.removeRequest(identifier: "com.example.refresh"))
        #expect(try store.request("com.example.refresh") == nil)
        #expect(try store.pendingCount() == 0)
    }

    @Test("pages of pending requests have no gap or overlap")
    func pages() throws {
        let identifiers = (10...35).map { "com.example.\($0)" }
        try store.apply(
            identifiers.enumerated().map { .putRequest(.sample(Int64($0) + 1, $1)) },
            durability: .normal)
        var seen: [String] = []
        while true {
            let page = try store.pending(after: seen.last ?? "", limit: 7)
            seen += page.map(\.identifier)
            guard page.count == 7 else { break }
        }
        #expect(seen == identifiers)
    }

    @Test("pending requests of a wildcard are counted, without similar names")
    func countOfWildcard() throws {
        let identifiers = (1...1_001).map { "a.b.\($0)" } + ["a.b", "a.b-c", "a.c.1"]
        try store.apply(
            identifiers.enumerated().map { .putRequest(.sample(Int64($0) + 1, $1)) },
            durability: .normal)
        #expect(try store.pendingCount(of: "a.b.*") == 1_001)
        #expect(try store.pendingCount(of: "a.c.*") == 1)
        #expect(try store.pendingCount(of: "a.b") == 1)
        #expect(try store.pendingCount(of: "a.d") == 0)
    }

    @Test("a launch moves the complete request to the running attempts")
    func begin() throws {
        let lease = ProcessIdentity(pid: 9, startTicks: .max, bootID: "boot")
        let attempt = Attempt.sample(4, of: Self.full)
        try store.apply(.putRequest(Self.full), .beginAttempt(attempt, worker: lease))
        #expect(try store.pendingCount() == 0)
        #expect(try store.request(Self.full.identifier) == nil)
        #expect(try store.running() == [RunningRow(attempt: attempt, worker: lease)])
    }

    @Test("a withdrawn launch leaves no rows and changes no other attempt")
    func withdraw() throws {
        let time = WallTime(milliseconds: 5)
        try store.apply(
            .beginAttempt(.sample(4, of: .sample(1, "a")), worker: nil),
            .beginAttempt(.sample(5, of: .sample(2, "b")), worker: nil),
            .output(attempt: 4, .log, text: "no thread", at: time),
            .output(attempt: 5, .log, text: "begun", at: time), .withdrawAttempt(4))
        #expect(try store.running().map(\.attempt.id) == [5])
        #expect(try store.output(attempt: 4).isEmpty)
        #expect(try store.output(attempt: 5).map(\.text) == ["begun"])
        #expect(try store.history(limit: 9).isEmpty)
    }

    @Test("the known attempts span the oldest to the newest, running or ended")
    func known() throws {
        #expect(try store.knownAttempts() == nil)
        for (id, identifier) in [(Int64(3), "a"), (4, "b"), (5, "c"), (6, "d")] {
            try store.apply(
                .beginAttempt(.sample(id, of: .sample(id, identifier)), worker: nil))
        }
        #expect(try store.knownAttempts() == 3...6)
        try store.apply(.end(4, tick: 9))
        #expect(try store.knownAttempts() == 3...6, "the oldest runs")
        try store.apply(.end(3, tick: 9), .end(6, tick: 9))
        #expect(try store.knownAttempts() == 3...6, "only one of the middle runs")
    }

    @Test("worker and expiration are stored with the running attempt")
    func running() throws {
        let lease = ProcessIdentity(pid: 9, startTicks: 8, bootID: "boot")
        let attempt = Attempt.sample(4, of: .sample(1))
        try store.apply(.beginAttempt(attempt, worker: lease))
        #expect(try store.running() == [RunningRow(attempt: attempt, worker: lease)])
        try store.apply(.expiring(attempt: 4, .powerLost, at: .sample(50)))
        #expect(
            try store.running() == [
                RunningRow(
                    attempt: attempt, worker: lease,
                    expiring: .init(reason: .powerLost, at: WallTime(milliseconds: 50)))
            ])
    }

    static let outcomes: [Outcome] =
        [.completed, .failed, .crashed(signal: 11), .exited(code: -1), .refused, .interrupted]
        + LimitedResource.allCases.map { .limited($0) }
        + StopReason.allCases.map { .expired($0, reported: nil) }
        + [.expired(.time, reported: true), .expired(.time, reported: false)]

    @Test("every outcome is read unchanged", arguments: outcomes)
    func outcome(_ outcome: Outcome) throws {
        let lease = ProcessIdentity(pid: 77, startTicks: 8, bootID: "boot")
        try store.apply(.beginAttempt(.sample(4, of: Self.full), worker: lease))
        try store.apply(
            .endAttempt(
                attempt: 4, outcome, message: "so it went", at: .sample(60),
                entered: Interval(nanoseconds: 41_000), outputDropped: 5))
        #expect(try store.running().isEmpty)
        let expected = HistoryRow(
            attempt: 4, identifier: Self.full.identifier, kind: .processing, request: 7,
            submitted: Self.full.submitted, earliest: Self.full.earliest, failures: 3,
            interruptions: 2, launched: WallTime(milliseconds: 4),
            ended: WallTime(milliseconds: 60),
            duration: outcome == .interrupted ? nil : .milliseconds(56),
            entered: Interval(nanoseconds: 41_000), outcome: outcome, message: "so it went",
            worker: 77, outputDropped: 5)
        let rows = try store.history(limit: 9)
        #expect(rows == [expected] && rows.first?.outputDropped == 5)
    }

    @Test("the processor time of an ended attempt is read")
    func processorTime() throws {
        try store.apply(.beginAttempt(.sample(4, of: Self.full), worker: nil))
        try store.apply(.end(4, tick: 9), .processorTime(attempt: 4, milliseconds: 1_230))
        #expect(try store.history(limit: 9).map(\.processor) == [.milliseconds(1_230)])
    }

    @Test("history is newest first, by identifier and before an attempt")
    func history() throws {
        for id in Int64(1)...6 {
            let request = TaskRequest.sample(id, id.isMultiple(of: 2) ? "even" : "odd")
            try store.apply(.beginAttempt(.sample(id, of: request), worker: nil), .end(id, tick: 9))
        }
        #expect(try store.history(limit: 4).map(\.attempt) == [6, 5, 4, 3])
        #expect(try store.history(limit: 4, before: 3).map(\.attempt) == [2, 1])
        #expect(try store.history(identifier: "even", limit: 9).map(\.attempt) == [6, 4, 2])
        #expect(
            try store.history(identifier: "odd", limit: 1, before: 5).map(\.attempt) == [3])
        #expect(try store.history(identifier: "none", limit: 9).isEmpty)
    }

    @Test("a checkpoint is replaced and removed", arguments: [[], [0, 255, 0], Array(0...255)])
    func checkpoint(_ data: [UInt8]) throws {
        #expect(try store.checkpoint("a") == nil)
        try store.apply(
            .putCheckpoint(identifier: "a", version: 1, data: [1]),
            .putCheckpoint(identifier: "a", version: .max, data: data))
        #expect(try store.checkpoint("a") == Checkpoint(version: .max, data: data))
        try store.apply(.removeCheckpoint(identifier: "a"), .removeCheckpoint(identifier: "a"))
        #expect(try store.checkpoint("a") == nil)
    }

    @Test("the output of each attempt keeps its order")
    func output() throws {
        let time = WallTime(milliseconds: 5)
        try store.apply(
            .output(attempt: 1, .standardOutput, text: "b", at: time),
            .output(attempt: 2, .log, text: "other", at: time),
            .output(attempt: 1, .standardError, text: "", at: time),
            .output(attempt: 1, .standardOutput, text: "a", at: time))
        #expect(
            try store.output(attempt: 1) == [
                OutputLine(stream: .standardOutput, at: time, text: "b"),
                OutputLine(stream: .standardError, at: time, text: ""),
                OutputLine(stream: .standardOutput, at: time, text: "a"),
            ])
        #expect(try store.output(attempt: 2).map(\.text) == ["other"])
    }

    @Test("a line with a NUL in it is read to its end")
    func nul() throws {
        let time = WallTime(milliseconds: 5)
        try store.apply(.output(attempt: 1, .standardOutput, text: "a\0\u{1F4F7}b\0", at: time))
        #expect(try store.output(attempt: 1).map(\.text) == ["a\u{FFFD}\u{1F4F7}b\u{FFFD}"])
    }

    @Test("events keep their order and are read in pages by id")
    func events() throws {
        let line = EventLine(
            at: .sample(3), kind: "starting", identifier: "a", attempt: 12, text: "Starting a")
        try store.apply(.event(1), .event(line), .event(2))
        let all = try store.events(limit: 9)
        #expect(all.map(\.line.text) == ["line 1", "Starting a", "line 2"])
        #expect(all[1].line == line)
        #expect(try store.events(after: all[0].id, limit: 1) == [all[1]])
        let first = all[0].line.identifier
        let own = all.filter { $0.line.identifier == first }
        #expect(try store.lastEvents(of: first, limit: 9) == own)
        #expect(try store.lastEvents(of: first, limit: 1) == own.suffix(1))
        #expect(try store.lastEvents(of: "nobody", limit: 9).isEmpty)
        let ofHost = EventLine(at: .sample(4), kind: "manifest", identifier: "", text: "loaded")
        try store.apply(.event(ofHost))
        #expect(try store.lastEvents(of: first, limit: 9).map(\.line) == own.map(\.line) + [ofHost])
        #expect(try store.lastEvents(of: "nobody", limit: 9).map(\.line) == [ofHost])
    }

    @Test("skipped dates of a span are counted by identifier")
    func missedDates() throws {
        func event(_ kind: String, _ identifier: String, at wall: Int64) -> StoreChange {
            .event(
                EventLine(
                    at: Instant(elapsed: 0, wall: WallTime(milliseconds: wall)), kind: kind,
                    identifier: identifier, attempt: nil, text: ""))
        }
        try store.apply(
            event("missed", "a", at: 9), event("missed", "a", at: 10), event("missed", "b", at: 11),
            event("skipped", "b", at: 12), event("missed", "a", at: 19),
            event("missed", "a", at: 20))
        let missed = try store.missedDates(
            since: WallTime(milliseconds: 10), until: WallTime(milliseconds: 20))
        #expect(missed.map(\.identifier) == ["a", "b"])
        #expect(missed.map(\.count) == [2, 1])
        #expect(missed.map(\.last.milliseconds) == [19, 11])
    }
}
