// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunControl

/// Compares pictures with the files in Golden. With BGRUN_RECORD=1 in the environment the files are
/// written instead.
@Suite("The picture of the live view", .timeLimit(.minutes(10)))
struct TopFrameTests {
    static let now = WallTime(milliseconds: 1_790_000_000_000)

    /// An app with a row of each kind.
    static var busy: AppOverview {
        var app = AppOverview(app: "com.example.photos", at: now)
        app.host = .init(process: 4_711, version: "0.1.0", since: now - 7_200_000)
        app.running = [
            .init(
                attempt: 12, identifier: "com.example.photos.export.summer", kind: "continued",
                launched: now - 61_000, title: "Export", subtitle: "IMG_0042\u{1B}[31m.jpg",
                completed: 47, total: 100, until: now + 3_600_000, reason: "time"),
            .init(
                attempt: 13, identifier: "com.example.photos.sync", kind: "processing",
                launched: now - 4_000, phase: "expiring", until: now + 5_000, reason: "power-lost",
                isExpiring: true),
            .init(
                attempt: 14, identifier: "com.example.photos.asserts", kind: "processing",
                launched: now - 900, phase: "asserting", until: now + 29_000),
        ]
        app.pending = [
            .init(
                request: 20, identifier: "com.example.photos.cleanup", kind: "processing",
                submitted: now, earliest: now - 10, failures: 2,
                reason: "waits for power: external, idle: true",
                blocker: "power: external, idle: true"),
            .init(
                request: 21, identifier: "com.example.photos.refresh", kind: "app-refresh",
                submitted: now, earliest: now + 900_000, reason: "its earliest date has not come",
                next: now + 900_000),
        ]
        app.pendingCount = 45
        app.transfers = [
            .init(
                id: 1, label: "com.example.photos.catalog", bytes: 610_000_000,
                total: 1_000_000_000, rate: 12_300_000),
            .init(
                id: 2, label: "com.example.photos.log", bytes: 0, reason: "the network is metered"),
        ]
        var device = DeviceBands(
            DeviceState(externalPower: .yes, batteryPercent: 80, network: .yes))
        device.note(
            DeviceState(
                externalPower: .no, batteryPercent: 79, lowPowerMode: .no, network: .yes,
                networkMetered: .yes, userIdle: .no, storageLow: .no, thermal: .serious,
                pressure: .no), at: now - 60_000)
        app.device = device.all
        app.budgets = [
            .init(name: "running-time", used: 240_000, limit: 600_000, isTime: true),
            .init(name: "attempts", used: 2, limit: 2, isTime: false),
        ]
        app.recent = [
            .init(
                attempt: 11, identifier: "com.example.photos.sync", ended: now - 90_000,
                ran: 1_250, outcome: "completed"),
            .init(
                attempt: 10, identifier: "com.example.photos.cleanup", ended: now - 95_000,
                ran: 45, outcome: "expired", reason: "user-active", message: "saved at 12%"),
        ]
        app.notices = ["force-quit: nothing is launched until `bgrun open`"]
        return app
    }

    static func date(_ date: WallTime) -> String {
        let seconds = date.milliseconds / 1_000 % 86_400
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    static func screen(_ model: TopModel, hasColor: Bool = false) -> [String] {
        TopFrame(model, now: now, date: date).screen.map {
            $0.text(width: model.columns, hasColor: hasColor)
        }
    }

    @Test(
        "shows an app that has one row of each kind",
        arguments: [(24, 100), (24, 60), (12, 40), (40, 200)])
    func busy(_ rows: Int, _ columns: Int) throws {
        var model = TopModel(rows: rows, columns: columns)
        model.update(Self.busy, at: Self.now)
        let screen = Self.screen(model)
        #expect(screen.count == rows)
        #expect(screen.allSatisfy { $0.count <= columns })
        try golden(screen, "busy-\(rows)x\(columns)")
    }

    @Test("reports before the first answer that it reads, not that the app is unknown")
    func reading() {
        #expect(Self.screen(TopModel(rows: 24, columns: 80)).first == "reading…")
    }

    @Test("shows several apps, one of them without a host")
    func several() throws {
        var model = TopModel(rows: 24, columns: 80)
        var other = AppOverview(app: "com.example.mail", at: .epoch)
        other.pending = [
            .init(
                request: 1, identifier: "com.example.mail.fetch", kind: "app-refresh",
                submitted: .epoch, reason: "eligible: launched as soon as a host runs",
                blocker: "launch")
        ]
        other.pendingCount = 1
        model.update(Self.busy, at: Self.now)
        model.update(other, at: Self.now)
        try golden(Self.screen(model), "several")
    }

    @Test(
        "shows the next signal of an expired attempt and its time",
        arguments: [
            ("expiring", ", SIGTERM in 5s"), ("terminated", ", SIGKILL in 5s"), ("killed", ""),
        ])
    func signals(_ phase: String, _ text: String) {
        var app = AppOverview(app: "app", at: Self.now)
        app.running = [
            .init(
                attempt: 1, identifier: "task", kind: "processing", launched: .epoch, phase: phase,
                until: Self.now + 5_000, reason: "time", isExpiring: true)
        ]
        var model = TopModel(rows: 10, columns: 200)
        model.update(app, at: Self.now)
        let line = Self.screen(model).first { $0.contains("expiring: time") } ?? ""
        #expect(line.components(separatedBy: "expiring: time").last == text, "\(line)")
    }

    @Test("reports first that a host waits for its store")
    func storeWait() throws {
        var model = TopModel(rows: 24, columns: 200)
        var app = Self.busy
        app.host?.waitsForStoreSince = Self.now - 61_000
        model.update(app, at: Self.now)
        let since = Self.date(Self.now.advanced(by: .seconds(-61)))
        let line = "! the host has waited for its store since \(since): another program writes"
        #expect(Self.screen(model)[1].hasPrefix(line))
    }

    @Test("shows the selected row, however far down it is")
    func scrolled() throws {
        var model = TopModel(rows: 10, columns: 80)
        var app = AppOverview(app: "app", at: .epoch)
        app.pending = (0..<100).map {
            .init(
                request: $0, identifier: "task.\($0)", kind: "processing", submitted: .epoch,
                reason: "waits")
        }
        app.pendingCount = 100
        model.update(app, at: Self.now)
        for index in 0..<100 {
            #expect(Self.screen(model).contains { $0.hasPrefix("> task.\(index) ") }, "\(index)")
            _ = model.press(.down)
        }
        #expect(Self.screen(model).count == 10)
    }

    @Test("counts by the clock of the app, which in a simulation is another one")
    func otherClock() throws {
        var model = TopModel(rows: 4, columns: 80)
        var app = AppOverview(app: "app", at: WallTime(milliseconds: 5_000))
        app.running = [
            .init(
                attempt: 1, identifier: "r", kind: "processing", launched: .epoch,
                until: WallTime(milliseconds: 60_000))
        ]
        model.update(app, at: Self.now - 2_000)
        #expect(Self.screen(model)[2].hasSuffix(" 7s 53s left"))
    }

    @Test("adds colour, but no character")
    func color() throws {
        var model = TopModel(rows: 24, columns: 60)
        model.update(Self.busy, at: Self.now)
        let plain = Self.screen(model)
        let colored = Self.screen(model, hasColor: true).map {
            $0.replacing(/\u{1B}\[\d+m/, with: "")
        }
        #expect(plain == colored)
        #expect(Self.screen(model, hasColor: true) != plain)
        #expect(!plain.joined().contains("\u{1B}"))
    }

    @Test("puts questions, messages and pages at their usual places")
    func footer() throws {
        var model = TopModel(rows: 8, columns: 60)
        model.update(Self.busy, at: Self.now)
        _ = model.press(.character("e"))
        #expect(
            Self.screen(model).last == "expire com.example.photos.export.summer? y/n")
        _ = model.press(.escape)
        #expect(Self.screen(model).last == "nothing was changed")
        model.show(["one", "two"])
        #expect(Self.screen(model).prefix(3) == ["one", "two", ""])
    }

    private func golden(
        _ lines: [String], _ name: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Golden/\(name).txt")
        let text = lines.map { $0 + "\n" }.joined()
        if ProcessInfo.processInfo.environment["BGRUN_RECORD"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = (try? String(contentsOf: file, encoding: .utf8)) ?? "(no such file)"
        #expect(
            text == expected, "see \(file.path); record it again with BGRUN_RECORD=1",
            sourceLocation: location)
    }
}
