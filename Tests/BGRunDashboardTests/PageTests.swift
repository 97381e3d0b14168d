// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunControl
@testable import BGRunDashboard
@testable import BGRunDevice

/// Compares pages with the files in Golden. With BGRUN_RECORD=1 in the environment the files are written
/// instead.
@Suite("Pages", .timeLimit(.minutes(10)))
struct PageTests {
    /// 2026-09-21 13:33:20 UTC, 15:33:20 in the zone of these pages.
    static let now = WallTime(milliseconds: 1_790_000_000_000)
    static let hostile = "org.<script>alert('x')</script>\"&\u{1B}[31m\u{202E}"

    static func frame(_ secret: String? = nil) -> PageFrame {
        PageFrame(
            dates: Dates(now: now, offset: { _ in 7_200 }), formSecret: secret, canLogIn: true,
            version: "9.9")
    }

    static func run(_ attempt: Int64, _ outcome: Outcome, took: Int64 = 1_500) -> Run {
        let launched = now - 1_000_000 + attempt * 10_000
        return Run(
            attempt: attempt, identifier: hostile, kind: .processing, request: attempt,
            due: launched - attempt * 700, launched: launched, ended: launched + took,
            duration: .milliseconds(took), outcome: outcome)
    }

    static var report: SpanReport {
        var builder = ReportBuilder(
            app: "org.app", since: now - 604_800_000, until: now,
            subjects: [
                ReportBuilder.Subject(
                    identifier: hostile, kind: .processing, knownSince: now - 7_200_000,
                    occurrences: { _, _ in 4 })
            ])
        for attempt in 1...3 { builder.add(run(Int64(attempt), .failed)) }
        builder.add(run(4, .expired(.powerLost, reported: true)))
        builder.add(wait: 65_000, of: hostile, by: "power: external")
        builder.journalBegins = now - 3_600_000
        return builder.report()
    }

    static var timeline: Timeline {
        var timeline = Timeline(since: now - 86_400_000, until: now)
        timeline.bands = [
            Timeline.Band(
                name: "power",
                stretches: [
                    .init(
                        from: now - 80_000_000, to: now - 40_000_000, value: "external",
                        isGood: true)
                ]),
            Timeline.Band(
                name: "battery",
                stretches: [.init(from: now - 80_000_000, to: now, value: "50%", isGood: nil)]),
            Timeline.Band(
                name: "idle", stretches: [.init(from: now - 9, to: now, value: "no", isGood: false)]
            ),
        ]
        var track = Timeline.Track(identifier: hostile)
        track.attempts = [
            .init(
                attempt: 4, from: now - 50_000_000, to: now - 49_000_000, outcome: "expired",
                reason: "power-lost"),
            .init(attempt: 5, from: now - 1_000, to: now, outcome: nil, reason: nil),
        ]
        track.waits = [
            .init(from: now - 70_000_000, to: now - 50_000_000, blocker: hostile),
            .init(from: now - 40_000_000, to: now - 1_000, blocker: nil),
        ]
        timeline.tracks = [track]
        timeline.gaps = [hostile]
        return timeline
    }

    static var busy: AppOverview {
        var app = AppOverview(app: "org.app", at: now)
        app.host = .init(process: 4_711, version: "9.9", since: now - 7_200_000)
        app.running = [
            .init(
                attempt: 12, identifier: hostile, kind: "continued", launched: now - 61_000,
                title: hostile, subtitle: hostile, completed: 47, total: 100,
                until: now + 3_600_000, reason: "time"),
            .init(
                attempt: 13, identifier: "org.sync", kind: "processing", launched: now - 4_000,
                phase: "expiring", until: now + 5_000, reason: "power-lost", isExpiring: true),
        ]
        app.pending = [
            .init(
                request: 20, identifier: hostile, kind: "processing", submitted: now,
                failures: 2, reason: hostile, blocker: "power: external"),
            .init(
                request: 21, identifier: "org.refresh", kind: "app-refresh", submitted: now,
                earliest: now + 900_000, reason: "its earliest date has not come",
                next: now + 900_000),
        ]
        app.pendingCount = 45
        app.budgets = [
            .init(name: "running-time", used: 240_000, limit: 600_000, isTime: true),
            .init(name: "attempts", used: 2, limit: 2, isTime: false),
        ]
        app.recent = [
            .init(
                attempt: 11, identifier: hostile, ended: now - 90_000, ran: 1_250,
                outcome: "expired", reason: "user-active", message: hostile)
        ]
        app.notices = [hostile]
        return app
    }

    static var explanation: ExplanationView? {
        var engine = Engine(
            Engine.Configuration(
                permitted: [hostile],
                declarations: [
                    TaskDeclaration(
                        identifier: hostile, kind: .processing, requires: .externalPower,
                        submission: .manual)
                ], modes: [.processing], policy: .server),
            device: DeviceState(externalPower: .no))
        var random = Fixed()
        let instant = Instant(elapsed: 1_000_000_000, wall: now - 60_000)
        for event in [Event.start, .submit(Submission(identifier: hostile), ticket: nil)] {
            _ = engine.handle(event, at: instant, using: &random)
        }
        return engine.explain(hostile, at: now).map { ExplanationView($0, now: now) }
    }

    private struct Fixed: RandomNumberGenerator {
        func next() -> UInt64 { 0 }
    }

    static func task(_ secret: String? = nil) -> String {
        frame(secret).task(
            TaskDetail(
                app: "org.app", identifier: hostile, explanation: explanation, problem: hostile,
                waits: [
                    .init(
                        request: 20, reason: hostile, since: now - 60_000, until: now - 1_000,
                        attempt: 4)
                ], report: report.tasks.first, attention: report.attention,
                attempts: (1...4).reversed().map {
                    run($0, $0 == 4 ? .expired(.time, reported: nil) : .failed, took: $0 * 900)
                }, messages: [4: hostile]))
    }

    static var attempt: String {
        frame().attempt(
            AttemptDetail(
                app: "org.app", number: 4, identifier: hostile, run: run(4, .failed), running: nil,
                facts: [("Task", hostile), ("Message", hostile)],
                output: [.init(at: now, stream: "stderr", text: hostile)], hiddenLines: 7,
                events: [(now, hostile)]))
    }

    static let pages: [(String, @Sendable () -> String)] = [
        (
            "overview",
            {
                frame().overview([
                    AppSummary(
                        overview: busy, problem: hostile, report: report, timeline: timeline),
                    AppSummary(overview: AppOverview(app: hostile, at: now)),
                ])
            }
        ),
        ("overview-empty", { frame().overview([]) }),
        ("app", { frame().app("org.app", .week, report, timeline) }),
        ("task", { task() }), ("task-trusted", { task("the-secret") }), ("attempt", { attempt }),
        (
            "device",
            {
                frame().device([
                    DeviceReport.Row(
                        "power", Finding(hostile, from: hostile, .measured, because: hostile)
                    ) { $0 }
                ])
            }
        ),
        ("login", { frame().login(isWrong: true, target: "/apps/\(hostile)") }),
        ("problem", { frame().problem(404, "Not found", hostile) }),
    ]

    @Test("an app whose host waits for its store has a warning")
    func storeWait() {
        var app = AppOverview(app: "org.app", at: Self.now)
        app.host = .init(process: 1, version: "9.9", since: Self.now)
        let warning = "callout warn\">the host has waited for its store since "
        #expect(!Self.frame().overview([AppSummary(overview: app)]).contains(warning))
        app.host?.waitsForStoreSince = Self.now
        #expect(Self.frame().overview([AppSummary(overview: app)]).contains(warning))
    }

    @Test("each page equals the recorded one", arguments: pages.indices)
    func golden(_ index: Int) throws {
        let (name, make) = Self.pages[index]
        let text = make()
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/\(name).html")
        if ProcessInfo.processInfo.environment["BGRUN_RECORD"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? "(no such file)"
        #expect(text == expected, "see \(file.path); record it again with BGRUN_RECORD=1")
    }

    @Test(
        "text from outside becomes neither markup nor control characters",
        arguments: pages.indices)
    func hostility(_ index: Int) {
        let page = Self.pages[index].1()
        #expect(!page.contains("<script>alert"))
        #expect(!page.contains("\u{1B}") && !page.contains("\u{202E}"))
        #expect(!page.contains("\"&\u{FFFD}"))
    }

    @Test(
        "no page has an inline script, style or event handler, or loads from another site",
        arguments: pages.indices)
    func policy(_ index: Int) {
        let page = Self.pages[index].1()
        #expect(!page.contains("style=\"") && !page.contains("<style"))
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(!page.contains(" onclick") && !page.contains("javascript:"))
        #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("=\"//"))
    }

    @Test("every tag that opens is closed", arguments: pages.indices)
    func balance(_ index: Int) throws {
        var open: [String] = []
        let void: Set = ["meta", "link", "img", "input", "!doctype"]
        for match in Self.pages[index].1().matches(of: /<(\/?)([a-z!0-9]+)[^>]*?(\/?)>/) {
            let name = String(match.2)
            if void.contains(name) || !match.3.isEmpty { continue }
            if match.1.isEmpty {
                open.append(name)
            } else {
                #expect(open.popLast() == name, "in \(Self.pages[index].0)")
            }
        }
        #expect(open.isEmpty)
    }

    @Test("buttons are shown only to those who may use them, and each form has the token")
    func buttons() {
        #expect(!Self.task().contains("<button"))
        let page = Self.task("the-secret")
        let forms = page.components(separatedBy: "<form").count - 1
        #expect(forms >= 3)
        #expect(page.components(separatedBy: "value=\"the-secret\"").count - 1 == forms)
    }

    @Test("all files that a page loads are served, and no others")
    func assets() {
        #expect(Assets.file("dashboard.css")?.type.hasPrefix("text/css") == true)
        #expect(Assets.file("dashboard.js")?.text.contains("visibilitychange") == true)
        #expect(Assets.file("icon.svg") != nil)
        #expect(Assets.file("../dashboard.css") == nil)
    }
}

@Suite("Timelines", .timeLimit(.minutes(10)))
struct TimelineTests {
    private static func drawing(_ attempts: [Timeline.Ran], hours: Int64 = 24) -> String {
        var timeline = Timeline(since: PageTests.now - hours * 3_600_000, until: PageTests.now)
        timeline.tracks = [Timeline.Track(identifier: "a")]
        timeline.tracks[0].attempts = attempts
        let dates = Dates(now: PageTests.now, offset: { _ in 20_700 })
        return TimelineDrawing(timeline: timeline, app: "app", dates: dates).html.text
    }

    private static func count(_ part: String, in text: String) -> Int {
        text.components(separatedBy: part).count - 1
    }

    @Test("a page has no more attempts than a screen shows")
    func many() {
        let attempts = (0..<20_000).map { number in
            let from = PageTests.now - 86_400_000 + Int64(number) * 4_320
            return Timeline.Ran(
                attempt: Int64(number), from: from, to: from + 1_000,
                outcome: number % 3 == 0 ? "failed" : "completed", reason: nil)
        }
        let text = Self.drawing(attempts)
        #expect(Self.count("<rect", in: text) <= 1_040)
        #expect(text.contains("attempts completed") && text.contains("attempts failed"))
    }

    @Test("a failure among very many attempts has its own dot")
    func failure() {
        let attempts = ["completed", "failed", "completed"].enumerated().map { number, outcome in
            Timeline.Ran(
                attempt: Int64(number), from: PageTests.now - 5_000 + Int64(number),
                to: PageTests.now, outcome: outcome, reason: nil)
        }
        let text = Self.drawing(attempts)
        #expect(Self.count("class=\"failed\"", in: text) == 2)
        #expect(text.contains("attempt 1 failed"))
    }

    @Test(
        "the axis has a few round times of the zone for any span",
        arguments: [1, 3, 24, 49, 168, 720] as [Int64])
    func axis(_ hours: Int64) {
        let text = Self.drawing([], hours: hours)
        let names = text.matches(of: /<text [^>]*>([^<]*)<\/text>/).map { String($0.1) }
        #expect(names.count >= 3 && names.count <= 10, "\(names)")
        if hours <= 49 {
            #expect(names.allSatisfy { $0.hasSuffix("0") || $0.hasSuffix("5") || $0.contains(" ") })
        }
    }
}

@Suite("Dates on pages", .timeLimit(.minutes(10)))
struct DatesTests {
    @Test(
        "a date is shown in the given time zone",
        arguments: [
            (0, 0, "1970-01-01 00:00:00", "Thu 1"), (-1, 0, "1969-12-31 23:59:59", "Wed 31"),
            (951_782_400, 0, "2000-02-29 00:00:00", "Tue 29"),
            (1_790_000_000, 7_200, "2026-09-21 16:13:20", "Mon 21"),
            (4_107_542_399, 0, "2100-02-28 23:59:59", "Sun 28"),
            (1_790_000_000, -43_200, "2026-09-21 02:13:20", "Mon 21"),
        ] as [(Int64, Int, String, String)])
    func civil(_ seconds: Int64, _ offset: Int, _ text: String, _ day: String) {
        let dates = Dates(now: .epoch, offset: { _ in offset })
        #expect(dates.full(WallTime.epoch + seconds * 1_000) == text)
        #expect(dates.day(WallTime.epoch + seconds * 1_000) == day)
    }
}

extension WallTime {
    static func + (date: WallTime, milliseconds: Int64) -> WallTime {
        date.advanced(by: .milliseconds(milliseconds))
    }

    static func - (date: WallTime, milliseconds: Int64) -> WallTime { date + -milliseconds }
}
