// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunHost
@testable import BGRunManifest
@testable import BGRunTransfers

@Suite("The rules of declared transfers and their ends", .timeLimit(.minutes(10)))
struct TransferRuleTests {
    private static let now = WallTime(milliseconds: 1_000_000_000)
    private static let earlier = now.advanced(by: .minutes(-10))

    private static func definition(
        every: Interval? = nil, change: (inout TransferDefinition) -> Void = { _ in }
    ) -> TransferDefinition {
        let request = TransferRequest(
            session: "org.test.a", direction: .download, url: "https://example.com/a", file: "/a")
        var definition = TransferDefinition(
            template: request, mark: SourceMark(line: 1, column: 1))
        definition.every = every
        change(&definition)
        return definition
    }

    private static func transfer(
        _ result: TransferResult? = nil, of definition: TransferDefinition = definition(),
        id: Int64 = 1, wanted: Transfer.Wanted = .run,
        change: (inout Transfer) -> Void = { _ in }
    ) -> Transfer {
        var transfer = Transfer(
            id: id, request: definition.request(at: earlier), name: definition.name,
            submitted: earlier, wanted: wanted)
        transfer.progress.result = result
        transfer.progress.finished = result.map { _ in earlier }
        change(&transfer)
        return transfer
    }

    private static func verdict(
        _ definition: TransferDefinition = definition(), after last: Transfer?,
        isThere: Bool = true, _ occasion: DeclarationRule.Occasion = .news
    ) -> DeclarationRule.Decision {
        DeclarationRule.verdict(
            on: definition.request(at: now), every: definition.every, last: last, isThere: isThere,
            occasion, at: now)
    }

    private static let again = DeclarationRule.Decision.submit(definition().request(at: now))

    @Test("a transfer that never ran is submitted; a running or finished one is not")
    func once() {
        #expect(Self.verdict(after: nil) == Self.again)
        #expect(Self.verdict(after: Self.transfer()) == .nothing)
        #expect(Self.verdict(after: Self.transfer(.completed), .start) == .nothing)
        #expect(Self.verdict(after: Self.transfer(.unchanged), .start) == .nothing)
    }

    @Test("a transfer that launches nothing does not keep an idle host running")
    func launches() {
        var transfer = Self.transfer(.completed)
        #expect(transfer.launchesSomething, "its session's task")
        let quiet = Self.transfer(.completed) { $0 = Self.quiet($0) }
        #expect(!quiet.launchesSomething)
        transfer = Self.transfer(.completed, of: Self.definition { $0.then = "org.test.b" })
        #expect(!transfer.request.sendsLaunchEvents && transfer.launchesSomething)
    }

    @Test("a rate is measured over about a second, and survives any report of a service")
    func wildPace() {
        var pace = Rate()
        pace.note(1_000, at: 0)
        #expect(pace.rate == nil, "one look tells nothing")
        pace.note(3_000, at: 1_000_000_000)
        #expect(pace.rate == 2_000)
        pace.note(3_000, at: 1_500_000_000)
        #expect(pace.rate == 1_000, "half a second counts for half")
        pace.note(2_000, at: 2_500_000_000)
        #expect(pace.rate == 1_000, "it has begun anew")
        var wild = Rate()
        for (bytes, at) in [(Int64.min, Int64(0)), (.max, 1), (0, 2), (.max, 3), (.min, 4)] {
            wild.note(bytes, at: at)
        }
        #expect(wild.rate ?? 0 <= 1_000_000_000_000_000)
    }

    private static func quiet(_ transfer: Transfer) -> Transfer {
        var request = transfer.request
        request.sendsLaunchEvents = false
        return Transfer(
            id: transfer.id, request: request, submitted: transfer.submitted,
            progress: transfer.progress)
    }

    @Test("a download whose file is missing is repeated, an upload is not")
    func gone() {
        #expect(Self.verdict(after: Self.transfer(.completed), isThere: false) == Self.again)
        let upload = Self.definition { $0.direction = .upload }
        let sent = Self.transfer(.completed, of: upload)
        #expect(Self.verdict(upload, after: sent, isThere: false) == .nothing)
    }

    @Test("a failed transfer is retried when a host starts, a cancelled one is not")
    func failed() {
        let failed = Self.transfer(.failed)
        #expect(Self.verdict(after: failed, .news) == .nothing)
        #expect(Self.verdict(after: failed, .start) == Self.again)
        let cancelled = Self.transfer(.cancelled, wanted: .cancelled)
        #expect(Self.verdict(after: cancelled, .start) == .nothing)
    }

    @Test("another address or place means another file; another rate does not, if the file exists")
    func changed() {
        let same = Self.definition().request(at: Self.now)
        let changes: [(String, (inout TransferRequest) -> Void)] = [
            ("url", { $0.url = "https://example.com/b" }),
            ("file", { $0.file = "/b" }),
            ("method", { $0.method = "PUT" }),
            ("sha256", { $0.sha256 = String(repeating: "0", count: 64) }),
            ("direction", { $0.direction = .upload }),
        ]
        for (key, change) in changes {
            var other = same
            change(&other)
            for last in [TransferResult.completed, .failed, .cancelled] {
                let transfer = Self.transfer(last, wanted: last == .cancelled ? .cancelled : .run)
                let verdict = DeclarationRule.verdict(
                    on: other, every: nil, last: transfer, isThere: true, .news, at: Self.now)
                #expect(verdict == .submit(other), "\(key), \(last)")
            }
        }
        let slower = Self.definition { $0.rate = 1_000 }
        #expect(Self.verdict(slower, after: Self.transfer(.completed)) == .nothing)
        #expect(Self.verdict(slower, after: Self.transfer()) == .replace(1))
        #expect(Self.verdict(slower, after: Self.transfer(wanted: .cancelled)) == .nothing)
    }

    @Test("a replaced transfer resumes from its partial file if it is the same file")
    func replaced() {
        let part = Self.transfer(.cancelled, wanted: .cancelledResumable) {
            $0.progress.file = "/part"
            $0.progress.validator = "\"tag\""
        }
        let slower = Self.definition { $0.rate = 1_000 }
        var resumed = slower.request(at: Self.now)
        resumed.resume = .init(file: "/part", validator: "\"tag\"")
        #expect(Self.verdict(slower, after: part) == .submit(resumed))
        let elsewhere = Self.definition { $0.url = "https://example.com/b" }
        #expect(
            Self.verdict(elsewhere, after: part) == .submit(elsewhere.request(at: Self.now)))
    }

    @Test("an hourly transfer starts an hour after its last end, with any result")
    func every() {
        let hourly = Self.definition(every: .hours(1))
        var next = hourly.request(at: Self.now)
        next.earliest = Self.earlier.advanced(by: .hours(1))
        for (result, wanted) in [
            (.failed, .run), (.cancelled, .cancelled),
        ] as [(TransferResult, Transfer.Wanted)] {
            let last = Self.transfer(result, of: hourly, wanted: wanted)
            #expect(Self.verdict(hourly, after: last) == .submit(next))
        }
        next.unlessTag = "W/\"1\""
        let done = Self.transfer(.completed, of: hourly) { $0.progress.tag = "W/\"1\"" }
        #expect(Self.verdict(hourly, after: done) == .submit(next))
    }

    @Test("a download sends the tag of its current file only")
    func lostTag() {
        let hourly = Self.definition(every: .hours(1))
        func tagged(_ tag: String?) -> TransferRequest {
            var request = hourly.request(at: Self.earlier)
            request.unlessTag = tag
            return request
        }
        func next(_ result: TransferResult, _ tag: String?) -> DeclarationRule.Decision {
            var last = Transfer(
                id: 1, request: tagged("\"old\""), name: hourly.name, submitted: Self.earlier)
            last.progress.result = result
            last.progress.finished = Self.earlier
            last.progress.tag = tag
            return Self.verdict(hourly, after: last)
        }
        func submitted(_ tag: String?) -> DeclarationRule.Decision {
            var request = tagged(tag)
            request.earliest = Self.earlier.advanced(by: .hours(1))
            return .submit(request)
        }
        #expect(next(.completed, nil) == submitted(nil))
        #expect(next(.completed, "\"new\"") == submitted("\"new\""))
        #expect(next(.unchanged, "\"old\"") == submitted("\"old\""))
    }

    @Test("an hourly transfer starts no earlier than its declared date")
    func everyAfterEarliest() {
        let hourly = Self.definition(every: .hours(1)) { $0.earliest = .hours(5) }
        let done = Self.transfer(.completed, of: hourly)
        #expect(
            Self.verdict(hourly, after: done)
                == .submit(hourly.request(at: Self.now)))
    }

    // MARK: deliveries

    private static func finished(
        _ id: Int64, _ session: String = "org.test.a", _ result: TransferResult = .completed,
        then: String? = nil, onFailure: String? = nil, silent: Bool = false
    ) -> Transfer {
        var definition = Self.definition()
        definition.session = session
        definition.then = then
        definition.onFailure = onFailure
        var transfer = Self.transfer(result, of: definition, id: id)
        guard silent else { return transfer }
        var request = transfer.request
        request.sendsLaunchEvents = false
        transfer = Transfer(
            id: id, request: request, submitted: earlier, progress: transfer.progress)
        return transfer
    }

    private static func verdicts(
        _ finished: [Transfer], unfinished: Set<String> = [], tasks: Set<String> = [],
        taken: Set<String> = []
    ) -> [DeliveryRule.Decision] {
        DeliveryRule(hasTask: tasks.contains, isTaken: taken.contains)
            .verdicts(finished: finished, unfinished: unfinished)
    }

    @Test("success launches `then`, failure `on_failure`, and an unchanged file neither")
    func followers() {
        let results: [(TransferResult, [DeliveryRule.Decision])] = [
            (.completed, [.tell(task: "next", 1)]), (.failed, [.tell(task: "sorry", 1)]),
            (.unchanged, [.drop([1])]), (.cancelled, [.drop([1])]),
        ]
        for (result, expected) in results {
            let transfer = Self.finished(1, "org.test.a", result, then: "next", onFailure: "sorry")
            #expect(Self.verdicts([transfer]) == expected)
        }
    }

    @Test("a task receives one transfer at a time, and no transfer while it is busy")
    func oneAtATime() {
        let two = [Self.finished(1, then: "next"), Self.finished(2, then: "next")]
        #expect(Self.verdicts(two) == [.tell(task: "next", 1)])
        #expect(Self.verdicts(two, taken: ["next"]).isEmpty)
    }

    @Test(
        "a session's task is launched when all have finished; without a task the ends are dropped")
    func sessions() {
        let two = [Self.finished(1, "s"), Self.finished(2, "s")]
        #expect(Self.verdicts(two, tasks: ["s"]) == [.launch(session: "s")])
        #expect(Self.verdicts(two, unfinished: ["s"], tasks: ["s"]).isEmpty)
        #expect(Self.verdicts(two, tasks: ["s"], taken: ["s"]).isEmpty)
        #expect(Self.verdicts(two) == [.drop([1, 2])])
        let silent = [Self.finished(1, "s", silent: true)]
        #expect(Self.verdicts(silent, tasks: ["s"]).isEmpty, "it waits to be asked for")
    }

    // MARK: turns

    @Test("a ready transfer waits for its turn when the limits are reached")
    func turns() {
        let transfers = (1...3).map { Self.transfer(id: $0) }
        var running = transfers
        running[0].progress.isRunning = true
        let device = TransferConditions(network: .yes, metered: .no, externalPower: .yes)
        let waits = TransferStatus.waits(
            of: running, under: device, budget: MeteredBudget(),
            policy: TransferPolicy(parallel: 2, connections: 1), at: Self.now)
        #expect(waits[1] == nil)
        #expect(waits[2] == .connections(host: "example.com", limit: 1))
        #expect(waits[3] == .connections(host: "example.com", limit: 1))
        let later = TransferStatus.waits(
            of: transfers.reversed(), under: device, budget: MeteredBudget(),
            policy: TransferPolicy(parallel: 1, connections: 1), at: Self.now)
        #expect(Set(later.keys) == [2, 3], "the first one has the first turn")
    }

    @Test("a rate is bytes over time, and is not negative after a step back")
    func pace() {
        var pace = Rate()
        pace.note(0, at: 0)
        #expect(pace.rate == nil)
        pace.note(500_000, at: 500_000_000)
        #expect(pace.rate == 1_000_000)
        pace.note(100, at: 1_000_000_000)
        #expect(pace.rate == 1_000_000)
    }

    @Test("header fields with a line end are refused")
    func headers() {
        #expect(
            [TransferRequest.Header](json: #"{"B": "2", "A": "1"}"#)?.map(\.name)
                == ["A", "B"])
        for bad in [
            "[]", #"{"A": 1}"#, #"{"A\r\n": "1"}"#, #"{"A": "1\r\nB: 2"}"#, #"{"": "1"}"#,
            #"{"A\u007f": "1"}"#, #"{"A": "\u007f"}"#, #"{"A:": "1"}"#,
        ] {
            #expect([TransferRequest.Header](json: bad) == nil, "\(bad)")
        }
    }
}
