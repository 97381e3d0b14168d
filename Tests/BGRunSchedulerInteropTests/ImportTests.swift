// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import Testing

@testable import BGRunSchedulerInterop

@Suite("Import", .timeLimit(.minutes(10)))
struct ImportTests {
    @Test("real files give the expected manifests", arguments: Cases.names)
    func golden(_ name: String) throws {
        try Cases.expect(Cases.manifests(try Cases.app(name)), name)
    }

    @Test("the manifest is read back as the same tasks", arguments: Cases.names)
    func readBack(_ name: String) throws {
        for app in try Cases.app(name).byUser() {
            let read = try PortableApp(manifest: Array(app.yaml.utf8), path: "app.yaml")
            #expect(read.app == app.app)
            #expect(read.tasks.map(\.plain) == app.tasks.map(\.plain))
        }
    }

    @Test(
        "the manifest has no errors or warnings", arguments: Cases.names)
    func lint(_ name: String) throws {
        for app in try Cases.app(name).byUser() {
            let reading = try ManifestReader.read(
                bytes: Array(app.yaml.utf8), path: "app.yaml", directory: "/",
                options: ManifestReader.Options(checksFiles: false))
            #expect(reading.warnings.isEmpty, "\(reading.warnings.map(\.message))")
            #expect(reading.manifest.tasks.count == app.tasks.count)
        }
    }

    @Test(
        "an impossible description becomes a comment, a blank one is omitted",
        arguments: [
            ("Saves files", "Saves files", []), ("a\u{7}b", nil, ["a\u{7}b"]), ("  ", nil, []),
            (String(repeating: "x", count: 201), nil, [String(repeating: "x", count: 201)]),
            ("local.timers.a", nil, []),
        ] as [(String, String?, [String])])
    func description(_ text: String, _ description: String?, _ comments: [String]) {
        let timer = UnitFile(
            name: "a.timer", path: "a.timer", text: "[Timer]\nOnCalendar=daily\n")
        let service = UnitFile(
            name: "a.service", path: "a.service",
            text: "[Unit]\nDescription=\(text)\n[Service]\nExecStart=/bin/true\n")
        let app = TimerReader.read(
            [timer, service], origin: "a.timer", app: "local.timers")
        #expect(app.tasks.map(\.description) == [description])
        #expect(app.tasks.map(\.comments) == [comments])
    }

    @Test(
        "a task has the name of the program of its line",
        arguments: [
            (#"echo "load $(cut -d' ' -f1 /proc/loadavg)" >> load.log"#, "echo"),
            ("date +%F >> /var/log/dates", "date"), ("true", "true"),
            ("export PATH=/usr/bin:/bin; /usr/bin/poll", "poll"), ("cd /srv/notes", "notes"),
            ("cd /srv && ./save.sh /data", "save"), ("test -x /usr/sbin/anacron", "anacron"),
            ("nice -n 5 flock -n /run/lock/x backup", "backup"), (". /etc/profile; poll", "poll"),
        ])
    func names(_ command: String, _ name: String) {
        let line = "0 0 * * * " + command.replacing("%", with: "\\%")
        let app = CrontabReader.read(line, file: "crontab", app: "local.a")
        #expect(app.tasks.map(\.identifier) == ["local.a.\(name)"])
    }

    @Test("every line of a crontab becomes a task or a note", arguments: ["server", "odd"])
    func nothingDropped(_ name: String) throws {
        let text = try Cases.text("crontab/\(name)")
        let app = try Cases.app("crontab/\(name)")
        let known = Set(app.tasks.compactMap(\.place.line) + app.notes.compactMap(\.place.line))
        let assignments: Set<Substring> = ["SHELL", "PATH", "NAME ", "CRON_TZ", "MAILTO"]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let isQuiet =
                line.isEmpty || line.hasPrefix("#")
                || assignments.contains(line.prefix { $0 != "=" })
            #expect(isQuiet || known.contains(index + 1), "line \(index + 1): \(line)")
        }
    }

    @Test(
        "a schedule that cron refuses is noted, and one that it accepts is imported",
        arguments: [
            ("0 0 * * sat-sun", true), ("0 0 1-31/3,5 * 7", true), ("8~17 * * * *", true),
            ("~ H/15 H(1-5) * *", true), ("0 0 29 feb *", true), ("0 0 30 2 mon", true),
            ("0 0 * * 5-1", false), ("0 0 * * fri-mon", false), ("0 0 * * 7-1", false),
            ("5/15 * * * *", false), ("*/0 * * * *", false), ("8~17/2 * * * *", false),
            ("0 0 30 2 *", false), ("1,,2 * * * *", false), ("*-5 * * * *", false),
            ("60 * * * *", false), ("* 24 * * *", false), ("* * 0 * *", false),
            ("* * * january *", false), ("99999999999999999999 * * * *", false),
            ("*/99999999999999999999 * * * *", false), ("17-8~ * * * *", false),
        ])
    func schedules(_ text: String, _ isRead: Bool) {
        let app = CrontabReader.read(
            "\(text) true", file: "crontab", app: "local.a")
        #expect(app.tasks.count == (isRead ? 1 : 0))
        #expect(app.losesMeaning == !isRead)
    }

    @Test(
        "an invalid field is named with its text, its line and the valid values",
        arguments: [
            ("0 0 * 13 *", "month \"13\" is invalid", "from 1 to 12 or names from jan to dec"),
            ("60 0 * 1 *", "minute \"60\" is invalid", "from 0 to 59"),
            ("0 24 * * *", "hour \"24\" is invalid", "from 0 to 23"),
            ("0 0 32 * *", "day of the month \"32\" is invalid", "from 1 to 31"),
            ("0 0 * * mo", "day of the week \"mo\" is invalid", "names from sun to sat"),
            ("0 0 31 4 *", "day of the month \"31\" is not in month \"4\"", "that the month has"),
            ("@never", "time \"@never\" is invalid", "@daily"),
        ])
    func fields(_ schedule: String, _ problem: String, _ remedy: String) throws {
        let app = CrontabReader.read(
            "# a comment\n\(schedule) true\n", file: "crontab",
            app: "local.a")
        let note = try #require(app.notes.first { $0.weight == .lost })
        #expect(note.place.text == "crontab:2")
        #expect(note.word == "\(schedule) true")
        #expect(note.instead == "\(problem), and the entry is left out")
        #expect(note.remedy.contains(remedy), "\(note.remedy)")
        #expect(app.notes.filter { $0.weight == .lost }.count == 1)
    }

    @Test(
        "a missing field is named",
        arguments: [
            ("0 0 *", false, "month, day of the week are missing"),
            ("0 0 * * *", false, "command is missing"),
            ("0 0 * * *", true, "user, command are missing"),
            ("0 0 * * * root", true, "command is missing"),
        ])
    func missing(_ line: String, _ namesUsers: Bool, _ problem: String) {
        let app = CrontabReader.read(
            line, file: "crontab", app: "local.a", namesUsers: namesUsers)
        #expect(app.notes.first?.instead == "\(problem), and the entry is left out")
    }

    @Test(
        "an invalid field of an anacrontab is named with its text",
        arguments: [
            ("0 5 a true", "period \"0\" is invalid"), ("1 x a true", "delay \"x\" is invalid"),
            ("1 5 a", "command is missing"),
        ])
    func anacronFields(_ line: String, _ problem: String) {
        let app = AnacrontabReader.read(line, file: "anacrontab", app: "local.a")
        #expect(app.notes.map(\.instead) == ["\(problem), and the entry is left out"])
    }

    @Test(
        "a command that leaves processes behind is noted with the word that causes it",
        arguments: [
            ("queue-worker &", "&"), ("cd /srv && (poll > log 2>&1 &)", "&"), ("a & sleep 5", "&"),
            ("curl http://a/?b=1&c=2", "&"), ("nohup worker > /dev/null 2>&1 &", "&"),
            ("setsid worker", "setsid"), ("cd /x; exec setsid -f worker", "setsid"),
            ("worker & disown", "disown"), ("screen -dmS irc irssi", "screen -d"),
            ("sudo -u ada /usr/bin/screen -S x -d -m irssi", "screen -d"),
            ("/usr/bin/tmux new-session -d -s main", "tmux -d"), ("tmux new -Ads main", "tmux -d"),
            ("a > log 2>&1 && b &> c", nil), ("a 1>&2 <&3", nil), ("echo 'a & b' \"&\" \\&", nil),
            ("a & b & wait", nil), ("setsid --wait worker", nil), ("setsid -fw worker", nil),
            ("screen -Dm irssi", nil), ("tmux kill-session -t d", nil), ("tmux new -s dd", nil),
            ("echo setsid disown", nil), ("nohup worker > log", nil), ("true # in &", nil),
            ("tmux", nil), ("echo \\", nil),
        ])
    func detached(_ command: String, _ word: String?) {
        let crontab = CrontabReader.read(
            "# x\n0 0 * * * \(command)", file: "crontab", app: "local.a")
        let anacrontab = AnacrontabReader.read(
            "# x\n1 5 a \(command)", file: "anacrontab", app: "local.a")
        for app in [crontab, anacrontab] {
            let notes = app.notes.filter { $0.weight == .lost }
            #expect(notes.map(\.word) == (word.map { [$0] } ?? []))
            #expect(notes.allSatisfy { $0.place.line == 2 })
        }
    }

    @Test("no text crashes the import", arguments: 1...10)
    func broken(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let signs = Array("\\\"'%$[]=;#@{}<>&*/,-~ \t\n0179HMx\u{0}é")
        for name in Cases.names {
            var text = Array(try Cases.text(name))
            for _ in 0..<random.number(1...30) {
                let at = random.number(0...text.count - 1)
                switch random.number(0...2) {
                case 0: text[at] = random.one(of: signs)
                case 1: text.insert(random.one(of: signs), at: at)
                default: text.removeSubrange(at..<min(text.count, at + random.number(1...40)))
                }
                if text.isEmpty { text = ["x"] }
            }
            let broken = String(text)
            var apps = [
                CrontabReader.read(broken, file: "a", app: "local.a"),
                CrontabReader.read(
                    broken, file: "a", app: "local.a", namesUsers: true),
                AnacrontabReader.read(broken, file: "a", app: "local.a"),
                TimerReader.read(
                    [
                        UnitFile(name: "a.timer", path: "a.timer", text: broken),
                        UnitFile(name: "a.service", path: "a.service", text: broken),
                    ], origin: "a", app: "local.a"),
            ]
            if let job = try? PropertyListValue(xml: broken) {
                apps.append(LaunchdReader.read([("a", job)], app: "local.a", origin: "a"))
            }
            for app in apps.flatMap({ $0.byUser() }) {
                let read = try PortableApp(manifest: Array(app.yaml.utf8), path: "a.yaml")
                #expect(read.tasks.map(\.plain) == app.tasks.map(\.plain), "\(name), seed \(seed)")
                let options = ExportOptions(manifest: "/a/a.yaml")
                _ = UnitWriter.write(read, options: options)
                _ = CrontabWriter.write(read, options: options)
                _ = KubernetesWriter.write(read, options: options)
                _ = NomadWriter.write(read, options: options)
            }
        }
    }

    @Test("every setting of a unit is imported, noted or documentation")
    func nothingDroppedOfUnits() throws {
        let unit = """
            [Unit]
            Frobnicate=1
            ConditionHost=a
            AssertPathExists=/x
            [Service]
            ExecStart=/bin/true
            Florp=1
            MemoryMax=1G
            ProtectSystem=strict
            Group=adm
            """
        let timer =
            "[Timer]\nOnCalendar=daily\nNewThing=1\nOnClockChange=yes\n[Unit]\nOnSuccess=a.service"
        let app = TimerReader.read(
            [
                UnitFile(name: "a.timer", path: "a.timer", text: timer),
                UnitFile(name: "a.service", path: "a.service", text: unit),
            ], origin: "a.timer", app: "local.a")
        let noted = Set(app.notes.map { "\($0.place.text)" })
        for place in [
            "a.service:2", "a.service:3", "a.service:4", "a.service:7", "a.service:8",
            "a.service:9", "a.service:10", "a.timer:3", "a.timer:4", "a.timer:6",
        ] {
            #expect(noted.contains(place), "\(place)")
        }
        #expect(app.losesMeaning)
    }

    @Test("a setting over several lines is noted at the first one")
    func continued() {
        let service = UnitFile(
            name: "a.service", path: "a.service",
            text: "[Service]\nExecStart=/bin/true\nFlorp=1 \\\n  2 \\\n  3\nFlarp=4")
        let app = TimerReader.read(
            [service], origin: "a", app: "local.a")
        let lines = app.notes.filter { $0.word.hasPrefix("Fl") }.map(\.place.text)
        #expect(lines == ["a.service:3", "a.service:6"])
    }

    @Test("a drop-in extends and empties lists, and replaces single values")
    func dropIns() throws {
        var timer = UnitFile(
            name: "a.timer", path: "a.timer", text: "[Timer]\nOnCalendar=daily\nPersistent=no")
        timer.add(
            "[Timer]\nOnCalendar=\nOnCalendar=Mon 09:00\nPersistent=Yes", path: "a.timer.d/x.conf")
        let service = UnitFile(
            name: "a.service", path: "a.service", text: "[Service]\nExecStart=/bin/true")
        let task = try #require(
            TimerReader.read(
                [timer, service], origin: "a", app: "local.a"
            ).tasks.first)
        #expect(task.schedule == .calendar(["Mon 09:00"]))
        #expect(task.catchUp == .one)
    }

    @Test(
        "the kind of a file is known by its name and content",
        arguments: [
            ("/etc/cron.d/certbot", "0 0 * * * root true", ExchangeFormat.cronD),
            ("/etc/crontab", "", .cronD), ("-", "0 0 * * * root true", .cronD),
            ("-", "0 0 * * * echo root", .crontab), ("-", "@daily true", .crontab),
            ("-", "", .crontab), ("x/anacrontab", "", .anacrontab),
            ("-", "A=b\n1 5 cron.daily run-parts x", .anacrontab),
            // An invalid month does not change the format.
            ("crontab", "30 2 * 13 * true", .crontab), ("-", "30 2 1-9/2 13 * true", .crontab),
            ("-", "0 0 * 13 * root true\n0 0 * * * root true", .cronD),
            ("a.timer", "", .systemd), ("b.service", "", .systemd),
            ("-", "[Unit]\nDescription=x", .systemd),
            ("a.plist", "<plist><dict><key>Label</key>", .launchd),
            ("Info.plist", "<plist><dict>", .infoPlist), ("a.plist", "{a = b;}", .infoPlist),
        ] as [(String, String, ExchangeFormat)])
    func detection(_ path: String, _ text: String, _ format: ExchangeFormat) {
        #expect(ExchangeFormat.detect(path: path, text: text) == format)
    }

    @Test("an impossible hour omits a job of anacron", arguments: [Int64.max, 24])
    func hours(_ hour: Int64) {
        let text = "START_HOURS_RANGE=\(hour)-\(hour)\n1 5 daily true\n"
        let app = AnacrontabReader.read(text, file: "anacrontab", app: "org.test")
        #expect(app.tasks.isEmpty)
    }

    @Test(
        "systemd's quotes, escapes and variables become words or a line of the shell",
        arguments: [
            (#"/bin/a "b c" 'd "e' f\x20g"#, .program(["/bin/a", "b c", "d \"e", "f g"])),
            ("-/bin/a b", .shell("{ /bin/a b || true; }")),
            ("/bin/a $$x 100%%", .program(["/bin/a", "$x", "100%"])),
            ("/bin/a $X ${Y}z", .shell("/bin/a $X \"${Y}\"z")),
            (":/bin/a $X", .program(["/bin/a", "$X"])),
            ("/bin/a\tb \t c", .program(["/bin/a", "b", "c"])),
            ("@/bin/a zero one", .program(["/bin/a", "one"])),
            ("/bin/a ; /bin/b", .shell("/bin/a && /bin/b")),
            ("/bin/sh -c 'a | b'", .shell("a | b")),
        ] as [(String, PortableCommand.Action)])
    func commandLines(_ text: String, _ action: PortableCommand.Action) {
        let service = UnitFile(
            name: "a.service", path: "a.service", text: "[Service]\nExecStart=\(text)")
        let app = TimerReader.read(
            [service], origin: "a", app: "local.a")
        #expect(app.tasks.first?.command.action == action)
    }

    @Test(
        "an invalid property list is refused with its line",
        arguments: [
            ("", 1), ("<plist>\n<dict>\n<key>a", 3), ("<plist><florp/></plist>", 1),
            ("<plist>\n<array><integer>x</integer></array>", 2), ("<array>\n</dict>", 2),
            (String(repeating: "<array>", count: 90_000), 1), ("<string>&florp;</string>", 1),
        ])
    func badPropertyLists(_ text: String, _ line: Int) {
        let problem = #expect(throws: PropertyListValue.Problem.self) {
            try PropertyListValue(xml: text)
        }
        #expect(problem?.line == line)
    }
}

extension PortableTask {
    /// The task without its place and comments, which a manifest does not store.
    var plain: PortableTask {
        var task = self
        task.place = SourcePlace(file: "")
        task.comments = []
        return task
    }
}
