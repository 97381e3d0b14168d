// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunSchedulerInterop

@Suite("Round trips", .timeLimit(.minutes(10)))
struct RoundTripTests {
    static let options = ExportOptions(manifest: "/srv/app/app.yaml", home: "/home/ada")

    /// Writes `app` as a manifest, and reads the manifest.
    static func throughYAML(_ app: PortableApp) throws -> PortableApp {
        try PortableApp(manifest: Array(app.yaml.utf8), path: "/srv/app/app.yaml")
    }

    @Test("an imported and exported crontab is the same when it is read again")
    func crontab() throws {
        let app = try Cases.app("crontab/server")
        let back = CrontabWriter.write(try Self.throughYAML(app), options: Self.options)
        let text = try #require(back.files.first).text
        try Cases.expect(text, "crontab/server.back")
        #expect(Self.launches(text) == Self.launches(try Cases.text("crontab/server")))
    }

    @Test("any crontab of a seeded generator is the same when it is read again", arguments: 1...200)
    func crontabs(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let text = CrontabGenerator.crontab(&random)
        let app = CrontabReader.read(
            text, file: "crontab",
            app: "local.crontab", home: "/home/ada")
        #expect(app.tasks.count == CrontabGenerator.entries)
        let back = CrontabWriter.write(try Self.throughYAML(app), options: Self.options)
        #expect(
            Self.launches(back.files.first?.text ?? "") == Self.launches(text),
            "seed \(seed):\n\(text)")
    }

    @Test(
        "imported and exported timers are the same tasks when they are read again",
        arguments: Cases.names.filter { $0.hasPrefix("systemd/") })
    func timers(_ name: String) throws {
        let app = try Cases.app(name)
        let units = UnitWriter.write(try Self.throughYAML(app), options: Self.options)
            .files.map { UnitFile(name: $0.name, path: $0.name, text: $0.text) }
        let again = TimerReader.read(
            units, origin: "", app: app.app)
        #expect(again.tasks.map(\.plain) == app.tasks.map(\.plain))
    }

    @Test(
        "any task of a seeded generator that systemd can express is the same when read again",
        arguments: 1...200)
    func units(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let task = TaskGenerator.task(&random)
        let app = PortableApp(app: "local.timers", origin: "", tasks: [task])
        let exported = UnitWriter.write(try Self.throughYAML(app), options: Self.options)
        #expect(!exported.losesMeaning, "\(exported.notes.map(\.text))")
        for file in KubernetesWriter.write(app, options: Self.options).files {
            // The text is valid YAML without duplicate keys.
            _ = try PortableApp(manifest: Array(file.text.utf8), path: file.name)
        }
        let units = exported.files.map { UnitFile(name: $0.name, path: $0.name, text: $0.text) }
        let again = TimerReader.read(
            units, origin: "", app: "local.timers")
        #expect(again.tasks.map(\.plain) == [task.plain], "seed \(seed): \(exported.files)")
        #expect(!again.losesMeaning, "\(again.notes.map(\.text))")
    }

    /// The launches of cron: dates, zone, shell, variables and input. The order does not matter.
    static func launches(_ text: String) -> [String] {
        let app = CrontabReader.read(
            text, file: "crontab",
            app: "local.crontab", home: "/home/ada")
        return app.tasks.map { task in
            let command = task.command
            let variables = command.environment.sorted { $0.name < $1.name }
            return "\(task.schedule) \(task.zone ?? "-") \(task.triggers.launch) "
                + "\(String(describing: task.jitter)) \(command.action) \(variables) "
                + "\(command.input ?? "-") \(command.directory ?? "-")"
        }.sorted()
    }
}

extension SplitMix {
    mutating func one<T>(of all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &self)] }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}
