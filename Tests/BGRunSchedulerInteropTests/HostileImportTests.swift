// SPDX-License-Identifier: Apache-2.0

import BGRunSchedulerInterop
import Testing

/// Findings of the fuzzer (`Scripts/fuzz crontab unit plist`).
@Suite("Import of hostile files", .timeLimit(.minutes(10)))
struct HostileImportTests {
    private static func throughYAML(_ app: PortableApp) throws -> PortableApp {
        try PortableApp(manifest: Array(app.yaml.utf8), path: "app.yaml")
    }

    private static func service(_ setting: String) -> PortableApp {
        let service = UnitFile(
            name: "a.service", path: "a.service", text: "[Service]\nExecStart=/bin/x\n\(setting)\n")
        return TimerReader.read(
            [service], origin: "a", app: "local.timers")
    }

    @Test("the name of a variable cannot add lines to the manifest")
    func variableNames() throws {
        let xml = """
            <plist><dict><key>Program</key><string>/bin/x</string>
            <key>EnvironmentVariables</key><dict>
            <key>A: b&#10;    handler: other.run&#10;    x</key><string>1</string>
            <key>B</key><string>2</string><key>B</key><string>3</string>
            <key></key><string>4</string><key>C=</key><string>5</string>
            </dict></dict></plist>
            """
        let job = LaunchdReader.read(
            [("job.plist", try PropertyListValue(xml: xml))], app: "local.launchd", origin: "job")
        let command = try #require(Self.throughYAML(job).tasks.first).command
        #expect(command.action == .program(["/bin/x"]))
        #expect(command.environment.map(\.value) == ["1", "3"])
        #expect(job.notes.filter { $0.word.hasPrefix("EnvironmentVariables") }.count == 2)
        for setting in ["Environment=A^\\\\=1", "Environment==1", "Environment='B: c=1'"] {
            let app = Self.service(setting)
            #expect(try Self.throughYAML(app).tasks.map(\.command) == app.tasks.map(\.command))
        }
    }

    @Test(
        "a date with an invalid part is lost, with a note of the key and its values",
        arguments: ["Minute", "Hour", "Day", "Weekday", "Month"],
        ["<integer>99</integer>", "<integer>-1</integer>", "<string>3</string>", "<true/>"])
    func dates(_ key: String, _ value: String) throws {
        let xml = """
            <plist><dict><key>Program</key><string>/bin/x</string>
            <key>StartCalendarInterval</key><array>
            <dict><key>\(key)</key>\(value)</dict>
            <dict><key>Hour</key><integer>4</integer></dict></array></dict></plist>
            """
        let job = LaunchdReader.read(
            [("job.plist", try PropertyListValue(xml: xml))], app: "local.a", origin: "job")
        #expect(job.tasks.map(\.schedule) == [.calendar(["*-*-* 04:*:00"])])
        let note = "job.plist:3: lost: \(key): it must be an integer from "
        #expect(job.notes.contains { $0.text.hasPrefix(note) }, "\(job.notes.map(\.text))")
    }

    @Test("characters that YAML forbids are escaped, and omitted from comments")
    func noncharacters() throws {
        let app = CrontabReader.read(
            "# a\u{FFFE}b\n* * * * * echo \u{FFFE}\u{FFFF}%\u{FFFF}\n", file: "crontab",
            app: "local.crontab")
        let task = try #require(Self.throughYAML(app).tasks.first)
        #expect(task.command.action == .shell("echo \u{FFFE}\u{FFFF}"))
        #expect(task.command.input == "\u{FFFF}\n")
    }

    @Test(
        "the time of an import grows linearly with the file",
        .timeLimit(.minutes(5)))
    func growth() throws {
        let lines = 20_000
        let app = CrontabReader.read(
            String(repeating: "* * * * * /bin/true\n", count: lines), file: "crontab",
            app: "local.crontab")
        #expect(app.tasks.last?.identifier == "local.crontab.true-\(lines)")
        for word in ["${", "\\9", "\\1"] {
            let text = String(repeating: word, count: 100_000)
            #expect(Self.service("ExecStart=/bin/x \(text)").tasks.count == 1)
        }
    }

    @Test("a numbered reference in a property list is decimal, or hexadecimal after an x")
    func references() throws {
        let list = try PropertyListValue(
            xml: "<plist><string>&#65;&#x42;&#x6a;</string></plist>")
        #expect(list == .text("ABj"))
    }

    @Test("three octal digits are a character, fewer are literal")
    func octal() throws {
        let app = Self.service(#"Environment="A=\101\7\18" B=\0"#)
        #expect(app.tasks.first?.command.environment.map(\.value) == [#"A\7\18"#, #"\0"#])
    }
}
