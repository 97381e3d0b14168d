// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Testing

@testable import BGRunSchedulerInterop

@Suite("Export", .timeLimit(.minutes(10)))
struct ExportTests {
    static let options = ExportOptions(
        manifest: "/srv/app/app.yaml", bgrun: "/usr/bin/bgrun", home: "/home/ada")

    /// A manifest that uses every key.
    static func everything() throws -> PortableApp {
        try PortableApp(manifest: Array(try Cases.text("export/app.yaml").utf8), path: "app.yaml")
    }

    static let targets: [(name: String, write: @Sendable (PortableApp) -> Exported)] = [
        ("systemd", { UnitWriter.write($0, options: options) }),
        ("crontab", { CrontabWriter.write($0, options: options) }),
        ("kubernetes", { KubernetesWriter.write($0, options: options) }),
        ("nomad", { NomadWriter.write($0, options: options) }),
    ]

    @Test(
        "every key gives the expected files and notes",
        arguments: targets.map(\.name))
    func golden(_ name: String) throws {
        let target = try #require(Self.targets.first { $0.name == name })
        let exported = target.write(try Self.everything())
        let files = exported.files.map { "=== \($0.name)\n\($0.text)" }.joined()
        let notes = exported.notes.map { $0.text + "\n" }.joined()
        try Cases.expect(files + "=== notes\n" + notes, "export/\(name)")
    }

    @Test("a description is one line of the unit; the descriptor of a socket has the task's name")
    func description() {
        var task = PortableTask(
            identifier: "local.a.b", place: SourcePlace(file: "a"),
            command: PortableCommand(.program(["/bin/true"])))
        task.description = #"Saves 5%: now\"#
        task.triggers.socket = .init(address: "./s", mode: "600")
        task.requires = [.init(key: "power", value: "external")]
        let app = PortableApp(app: "local.a", origin: "", tasks: [task])
        let units = UnitWriter.write(app, options: Self.options).files
        for unit in units {
            #expect(unit.text.contains("\nDescription=Saves 5%%: now\n"), "\(unit.name)")
        }
        #expect(units.contains { $0.text.contains("\nFileDescriptorName=local.a.b\n") })
        #expect(units.contains { $0.text.contains("\nConditionACPower=true\n") })
    }

    @Test(
        "a random part becomes each value of a range that states both ends, and no other",
        arguments: [
            ("30~31", 2, ["30", "31"]), ("1,30~31", 2, ["1,30", "1,31"]), ("30~", 2, ["30"]),
            ("H(30-31)", 2, ["30", "31"]), ("H(29-31)/2", 2, ["29-31/2", "30-31/2"]),
            ("H", 2, Set((1...28).map(String.init))), ("~3", 2, ["1", "2", "3"]),
            ("7~7", 4, ["0"]), ("fri~sun", 4, ["5", "6", "0"]), ("H(6-7)", 4, ["6", "0"]),
            ("H", 4, Set((0...6).map(String.init))), ("58~", 0, ["58", "59"]),
        ] as [(String, Int, Set<String>)])
    func settled(_ part: String, place: Int, values: Set<String>) throws {
        var parts = ["0", "0", "*", "*", "*"]
        parts[place] = part
        let fields = try #require(CronFields(parts.joined(separator: " ")))
        let settled = (0..<500).map { number in
            var fields = fields
            fields.settle(for: "org.test.\(number)")
            return String(fields.text.split(separator: " ")[place])
        }
        #expect(Set(settled) == values)
    }

    @Test("every omitted key has a note", arguments: targets.map(\.name))
    func nothingDropped(_ name: String) throws {
        let target = try #require(Self.targets.first { $0.name == name })
        let plain = PortableTask(
            identifier: "local.a.b", place: SourcePlace(file: "a"),
            command: PortableCommand(.program(["/bin/true"])))
        let changes: [(String, (inout PortableTask) -> Void)] = [
            ("resume", { $0.triggers.resume = true }), ("launch", { $0.triggers.launch = true }),
            ("path", { $0.triggers.path = "/x" }), ("other", { $0.triggers.others = ["other"] }),
            ("socket", { $0.triggers.socket = .init(address: "./s", mode: "600") }),
            ("zone", { $0.zone = "UTC" }), ("earliest", { $0.earliest = .minutes(1) }),
            ("flex", { $0.flex = .minutes(1) }), ("jitter", { $0.jitter = .minutes(1) }),
            ("start_deadline", { $0.startDeadline = .minutes(1) }),
            ("catch_up", { $0.catchUp = .all }), ("overlap", { $0.overlap = .replace }),
            ("power", { $0.requires = [.init(key: "power", value: "external")] }),
            ("network", { $0.requires = [.init(key: "network", value: "any")] }),
            ("unmetered", { $0.requires = [.init(key: "network", value: "unmetered")] }),
            ("after", { $0.timeLimit = .minutes(1) }), ("grace", { $0.grace = .minutes(1) }),
            ("retry", { $0.retry = RetryRule() }), ("input", { $0.command.input = "x\n" }),
            ("codes", { $0.command.successCodes = [0, 3] }),
            ("signal", { $0.command.expireSignal = "INT" }), ("user", { $0.user = "ada" }),
            ("description", { $0.description = "Saves files" }),
            ("key", { $0.otherKeys = ["strategy"] }),
        ]
        var dated = plain
        dated.schedule = .cron("0 0 * * *")
        let app = { (task: PortableTask) in PortableApp(app: "local.a", origin: "", tasks: [task]) }
        let without = target.write(app(dated))
        for (key, change) in changes {
            var task = dated
            change(&task)
            let with = target.write(app(task))
            #expect(
                with.files != without.files || with.notes.count > without.notes.count, "\(key)")
        }
    }

    /// An app with one task; `task` is the rest of its keys, `rest` other keys of the manifest.
    private static func app(_ task: String, _ rest: String = "") throws -> PortableApp {
        let text = """
            bgrun: 1
            app: local.a
            modes: [processing]
            permitted_identifiers: [local.a.*]
            plugins: {exec: exec}
            \(rest)
            tasks:
              local.a.b: {kind: processing, handler: exec.run, parameters: {argv: [/bin/true]}\(task)}
            """
        return try PortableApp(manifest: Array(text.utf8), path: "app.yaml")
    }

    /// The `lost` and `changed` notes of the task with their text, such as `lost: submit: manual`.
    private static func words(_ exported: Exported) -> [String] {
        exported.notes.filter { $0.word.hasPrefix("local.a.b: ") }
            .map { "\($0.weight.rawValue): \($0.word.dropFirst(11))" }
    }

    @Test(
        "a task without a trigger does not run when its file is applied",
        arguments: [
            (", submit: manual", "submit: manual"), (", on: {socket: ./s}", "on"),
            (", on: {path: ./p}", "on"),
        ])
    func notStarted(_ keys: String, _ word: String) throws {
        let app = try Self.app(keys)
        let kubernetes = KubernetesWriter.write(app, options: Self.options)
        #expect(kubernetes.files.map(\.text).joined().contains("kind: Job"))
        #expect(kubernetes.files.allSatisfy { $0.text.contains("\n  suspend: true\n") })
        #expect(Self.words(kubernetes).contains("lost: \(word)"))
        let nomad = NomadWriter.write(app, options: Self.options)
        #expect(nomad.files.count == 1)
        #expect(nomad.files.allSatisfy { $0.text.contains("\n  parameterized {}\n") })
        #expect(Self.words(nomad).contains("changed: \(word)"))
        let crontab = CrontabWriter.write(app, options: Self.options)
        #expect(!crontab.files[0].text.contains("\n@reboot"))
        #expect(Self.words(crontab).contains("lost: \(word)"))
    }

    @Test(
        "a task that a start of the host launches is exported with a note",
        arguments: [
            ("", "submit: launch"), (", submit: launch", "submit: launch"),
            (", on: {launch: true}", "on: launch"),
        ])
    func startedAtLaunch(_ keys: String, _ word: String) throws {
        let app = try Self.app(keys)
        let units = UnitWriter.write(app, options: Self.options)
        let timer = units.files.first { $0.name == "b.timer" }?.text ?? ""
        #expect(timer.contains("OnBootSec=0\n") && timer.contains("WantedBy=timers.target"))
        #expect(Self.words(units) == ["changed: \(word)"])
        let crontab = CrontabWriter.write(app, options: Self.options)
        #expect(crontab.files[0].text.contains("\n@reboot "))
        #expect(Self.words(crontab) == ["changed: \(word)"])
        for exported in [
            KubernetesWriter.write(app, options: Self.options),
            NomadWriter.write(app, options: Self.options),
        ] {
            #expect(exported.files.count == 1)
            #expect(exported.files.allSatisfy { !$0.text.contains("suspend") })
            #expect(exported.files.allSatisfy { !$0.text.contains("parameterized") })
            #expect(Self.words(exported) == ["lost: \(word)"])
        }
    }

    @Test(
        "a task with a date, and one that a transfer launches, is not launched at boot",
        arguments: [
            (", every: 1d", ""), (", cron: '0 0 * * *'", ""),
            ("", "transfers: {local.a.get: {download: https://example.com, then: local.a.b}}"),
        ])
    func notAtLaunch(_ keys: String, _ rest: String) throws {
        let app = try Self.app(keys, rest)
        #expect(app.tasks.map(\.isSubmittedAtLaunch) == [false])
    }

    @Test(
        "features that other schedulers lack are noted as lost",
        arguments: [
            ("transfers: {local.a.get: {download: https://example.com/f}}", "transfers"),
            ("hooks: [{on: failed, run: 'true'}]", "hooks"),
        ])
    func lost(_ rest: String, _ word: String) throws {
        let app = try Self.app(", every: 1d", rest)
        for target in Self.targets {
            let exported = target.write(app)
            #expect(exported.notes.filter { $0.word == word }.map(\.weight) == [.lost])
            #expect(exported.losesMeaning && !exported.files.isEmpty, "\(target.name)")
        }
    }

    @Test("a date without a year recurs every year, also for cron")
    func everyYear() throws {
        let app = try Self.app(", calendar: '03-01 10:00'")
        let crontab = CrontabWriter.write(app, options: Self.options)
        #expect(crontab.files[0].text.contains("\n0 10 1 3 * "))
    }

    @Test(
        "a time limit of the profile, which is not exported, is noted once",
        arguments: [
            ("", "", "profile: apple", "10m (processing)"),
            ("", "policy: {profile: server}", "profile: server", "1h (processing)"),
            ("", "policy: {profile: server, processing_limit: 2h}", nil, ""),
            (", expiration: {grace: 5s}", "", "profile: apple", "10m (processing)"),
            (", expiration: {after: 5m}", "", nil, ""),
        ])
    func profileLimits(_ keys: String, _ rest: String, _ word: String?, _ limit: String) throws {
        let notes = try Self.app(keys, rest).notes.filter { $0.word.hasPrefix("profile") }
        #expect(notes.map(\.word) == (word.map { [$0] } ?? []))
        #expect(notes.allSatisfy { $0.instead == "its time limit of \(limit) is not exported" })
    }

    @Test("any number of attempts is exported", arguments: targets.map(\.name), [Int.min, 0, .max])
    func attempts(_ name: String, _ attempts: Int) throws {
        let target = try #require(Self.targets.first { $0.name == name })
        var task = PortableTask(
            identifier: "local.a.b", place: SourcePlace(file: "a"),
            command: PortableCommand(.program(["/bin/true"])))
        task.schedule = .cron("0 0 * * *")
        task.retry = RetryRule()
        task.retry?.attempts = attempts
        task.jitter = Interval(nanoseconds: .max)
        #expect(!target.write(PortableApp(app: "local.a", origin: "", tasks: [task])).files.isEmpty)
    }

    @Test("systemd-analyze verify accepts the units")
    func verify() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("bgrun-units-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var names: [String] = []
        var apps = [try Self.everything()]
        apps += try Cases.names.filter { $0.hasPrefix("crontab/") }.map(Cases.app)
        let options = ExportOptions(manifest: "/srv/app/app.yaml", bgrun: "/bin/true")
        for (index, app) in apps.enumerated() {
            for file in UnitWriter.write(app, options: options).files {
                let name = "a\(index)-\(file.name)"
                // This machine does not have the commands.
                let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
                    .map { $0.hasPrefix("ExecStart=/") ? "ExecStart=/bin/true" : String($0) }
                try lines.joined(separator: "\n").write(
                    to: directory.appendingPathComponent(name), atomically: true, encoding: .utf8)
                names.append(name)
            }
        }
        for name in names where !name.hasSuffix(".service") {
            let stem = name.split(separator: ".").dropLast().joined(separator: ".")
            #expect(names.contains(stem + ".service"), "\(name)")
        }
        let said = try Self.output(
            "/usr/bin/systemd-analyze", ["--man=no", "verify"] + names, in: directory,
            ["SYSTEMD_UNIT_PATH": "\(directory.path):/usr/lib/systemd/system"])
        let ours = said.split(separator: "\n").filter { line in names.contains { line.contains($0) }
        }
        #expect(ours.isEmpty, "\(ours.joined(separator: "\n"))")
    }

    @Test(
        "a cron expression converted to systemd and back has the same dates", arguments: 1...200)
    func calendars(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let cron = CrontabGenerator.fields(&random)
        var task = PortableTask(
            identifier: "local.a.b", place: SourcePlace(file: "a"),
            command: PortableCommand(.program(["/bin/true"])))
        task.schedule = .cron(cron)
        let app = PortableApp(app: "local.a", origin: "", tasks: [task])
        let units = UnitWriter.write(app, options: Self.options)
        let timer = try #require(units.files.first { $0.name == "b.timer" }).text
        let dates = timer.split(separator: "\n").filter { $0.hasPrefix("OnCalendar=") }
            .map { String($0.dropFirst(11)) }
        // If cron matches either day, systemd needs two lines. One line of cron cannot require both days.
        let fields = cron.split(separator: " ").map(String.init)
        let isEither = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
        #expect(dates.count == (isEither ? 2 : 1), "\(cron): \(dates)")
        task.schedule = .calendar(dates)
        let back = CrontabWriter.write(
            PortableApp(app: "local.a", origin: "", tasks: [task]), options: Self.options)
        let isBoth = !isEither && fields[2] != "*" && fields[4] != "*"
        #expect(back.losesMeaning == isBoth, "\(cron): \(dates): \(back.notes.map(\.text))")
        guard !isBoth else { return }
        let lines = back.files[0].text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        let years = lines.map {
            CronModel($0.split(separator: " ").prefix(5).joined(separator: " "))
        }
        let expected = CronModel(cron)
        var wrong: [String] = []
        for (month, day) in Self.days {
            for weekday in 0...6 {
                let found = years.contains { $0.isDue(month: month, day: day, weekday: weekday) }
                if found != expected.isDue(month: month, day: day, weekday: weekday) {
                    wrong.append("\(month)-\(day), weekday \(weekday)")
                }
            }
        }
        #expect(wrong.isEmpty, "\(cron) as \(lines)")
        for year in years { #expect(year.times == expected.times, "\(cron) as \(lines)") }
    }

    /// Months are only numbers for cron, so a few are enough.
    private static let days = [1, 2, 6, 7, 12].flatMap { month in
        (1...31).map { (month: month, day: $0) }
    }

    private static func output(
        _ program: String, _ arguments: [String], in directory: URL, _ environment: [String: String]
    ) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

/// The simplest model of cron: five fields, only numbers.
struct CronModel {
    private var sets: [Set<Int>]
    private let isEither: Bool
    private static let bounds = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 7)]

    init(_ text: String) {
        let fields = text.split(separator: " ").map(String.init)
        sets = zip(fields, Self.bounds).map { Self.numbers($0, $1.0, $1.1) }
        if sets[4].contains(7) { sets[4].insert(0) }
        isEither = !fields[2].hasPrefix("*") && !fields[4].hasPrefix("*")
    }

    /// Minutes and hours.
    var times: [Set<Int>] { Array(sets[0..<2]) }

    func isDue(month: Int, day: Int, weekday: Int) -> Bool {
        let days = (sets[2].contains(day), sets[4].contains(weekday))
        return sets[3].contains(month) && (isEither ? days.0 || days.1 : days.0 && days.1)
    }

    private static func numbers(_ field: String, _ low: Int, _ high: Int) -> Set<Int> {
        var all: Set<Int> = []
        for element in field.split(separator: ",") {
            let halves = element.split(separator: "/").map(String.init)
            let step = halves.count > 1 ? Int(halves[1]) ?? 1 : 1
            let ends =
                halves[0] == "*"
                ? [low, high] : halves[0].split(separator: "-").compactMap { Int($0) }
            all.formUnion(stride(from: ends[0], through: ends[ends.count - 1], by: step))
        }
        return all
    }
}
