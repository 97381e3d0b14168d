// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import Testing

@testable import BGRunEventLog

@Suite("The format of the journal", .timeLimit(.minutes(10)))
struct FormatTests {
    @Test("increases whenever the bytes of a record change")
    func pinned() {
        var random = SplitMix(seed: 1)
        var writer = WireWriter()
        for record in Self.sample(&random) { writer.put(record) }
        // The bytes of format 6, to which 7 added those of annotations and of `cancelAnnotated`, and in which it
        // renamed `pressure_patience`.
        // If the bytes change, increase JournalFile.format, then put the new digest here.
        #expect(JournalFile.format == 7)
        #expect(Digest.of(writer.bytes) == 8_165_951_804_329_845_885)
    }

    @Test("a journal of format 5 is read, and its decisions are made again")
    func format5() throws {
        let report = ReplayReport([Format5.image])
        #expect(report.isProof, "\(report)")
        var configuration: Engine.Configuration?
        var events = 0
        let reading = Format5.image.visit { _, record in
            if case .beginning(let beginning) = record { configuration = beginning.configuration }
            if case .event = record { events += 1 }
            return true
        }
        #expect(reading.ending == .whole && events == 17)
        // Fields that were added later have values that delay nothing, as before.
        let policy = try #require(configuration?.policy)
        #expect(policy.profile == .apple && policy.usageMinimum == 2)
        #expect(!policy.processingNeedsIdle && policy.processingSpacing == .zero)
        #expect(policy.resubmissionSpacing == .zero)
        #expect(configuration?.usageZone == .utc)
    }

    @Test("unknown formats are named")
    func unknown() {
        for format: UInt8 in [4, 8] {
            var image = Format5.image
            image.bytes[7] = format
            guard case .damaged(let reason) = image.visit({ _, _ in true }).ending else {
                Issue.record("format \(format) was read")
                continue
            }
            #expect(reason == "it has format \(format) and this bgrun reads 5 to 7")
        }
    }

    /// A sample of every record, event, action, and part of a snapshot.
    private static func sample(_ random: inout SplitMix) -> [JournalRecord] {
        var records: [JournalRecord] = [
            .end(random.instant()), .pause(pending: 7, random.instant()),
            .beginning(
                JournalRecord.Beginning(
                    version: "1", app: "org.test.app", at: random.instant(), origin: .continuation,
                    configuration: configuration, snapshot: snapshot(&random))),
        ]
        let digest = Self.digest(of: random.actions() + random.records().map(Action.record))
        let replies = Self.digest(of: random.replies().map { .reply(1, $0) })
        let refusals = Self.digest(of: random.refusals().map { .reply(1, .refused($0)) })
        for digest in [digest, replies, refusals] {
            records += random.events().map {
                .event(JournaledEvent(at: random.instant(), random: 5, event: $0, digest: digest))
            }
        }
        return records
    }

    private static func digest(of actions: [Action]) -> UInt64 {
        var writer = WireWriter()
        return actions.digest(&writer)
    }

    private static var configuration: Engine.Configuration {
        Engine.Configuration(
            permitted: ["a"],
            declarations: [
                TaskDeclaration(
                    identifier: "a", kind: .processing, requires: .externalPower,
                    schedule: .every(.seconds(5)), timeLimit: .seconds(6), grace: .seconds(7),
                    group: .init(name: "g", limit: 1)),
                TaskDeclaration(
                    identifier: "b", kind: .processing, schedule: .calendar(calendar),
                    startDeadline: .seconds(8), triggers: .resume),
            ], modes: [.processing], policy: .apple)
    }

    private static var calendar: CalendarSchedule {
        let zone = ZoneRules(
            name: "z", transitions: [1], offsets: [2, 3],
            rule: RecurringRule(posix: "CET-1CEST,M3.5.0,M10.5.0/3"))
        let cron = CronSchedule(
            seconds: 1, minutes: 2, hours: 3, days: 4, months: 5, weekdays: 6, stars: .hour)
        let systemd = SystemdCalendar(
            weekdays: 1, years: [.init(start: 2, stop: 3, step: 4)], daysFromEnd: true)
        return CalendarSchedule([
            .init(.cron(cron), in: zone, text: "c"), .init(.systemd(systemd), in: .utc, text: "s"),
        ])
    }

    private static func snapshot(_ random: inout SplitMix) -> Engine.Snapshot {
        let rungs: [RunningAttempt.Rung] = [
            .asserting(until: 1), .reported(terminateAt: 2), .granted(until: 3, .time),
            .told(.time, terminateAt: 4), .terminated(killAt: 5), .killed, .waiting,
        ]
        let stages: [Engine.Snapshot.Stage] = [.delayed(until: 1), .ready, .parked]
        return Engine.Snapshot(
            device: random.device(), facts: AppFacts(), nextRequestID: 1, nextAttemptID: 2,
            isShuttingDown: true, suspendingSince: random.wall(), reloadingSince: random.wall(),
            share: Share(wantsMore: true),
            shortage: Shortage(
                resource: .processes, limit: 3, retryAt: 4, wait: .seconds(5), since: random.wall()),
            expiry: random.wall(), wake: 3,
            gate: Engine.Snapshot.GateState(
                conditions: .externalPower, factors: 4, powerWait: .seconds(5), lastID: 6,
                notBefore: [7], seen: random.wall(), flips: random.wall(),
                contendedSince: random.wall(), conditionsSince: [random.wall(), nil],
                factorsSince: [nil, random.wall()]),
            tasks: [
                Engine.Snapshot.Launches(
                    last: random.wall(), spacedFrom: random.wall(), spacedBefore: nil,
                    hasYielded: true)
            ],
            running: rungs.map {
                RunningAttempt(
                    attempt: random.attempt(), task: 0, grace: .seconds(8), isForced: true,
                    spendingSince: 7,
                    hasFollower: false,
                    progress: ProgressWatch(
                        completed: 1, total: 2, movedAt: 3, isWarned: true, warning: .seconds(4),
                        limit: .seconds(5)), assertions: [9], hasLeakedAssertion: true, rung: $0)
            },
            pending: stages.map {
                Engine.Snapshot.Pending(
                    request: random.request(), placed: random.wall(), since: 1, stage: $0)
            })
    }
}
