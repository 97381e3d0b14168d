// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

@testable import BGRunSchedulerInterop

/// Generates crontabs with every feature that a manifest supports.
enum CrontabGenerator {
    static let entries = 6

    static func crontab(_ random: inout SplitMix) -> String {
        var lines: [String] = []
        for _ in 0..<entries {
            if random.number(0...3) == 0 { lines.append("# \(word(&random)) % of it") }
            if random.number(0...2) == 0 { lines.append(assignment(&random)) }
            lines.append(
                schedule(&random) + random.one(of: [" ", "\t", "   "]) + command(&random))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func assignment(_ random: inout SplitMix) -> String {
        switch random.number(0...4) {
        case 0: "CRON_TZ=\(random.one(of: ["UTC", "Europe/Berlin", "Asia/Kolkata"]))"
        case 1: "RANDOM_DELAY=\(random.number(0...60))"
        case 2: "SHELL=\(random.one(of: ["/bin/sh", "/bin/bash", "/usr/bin/zsh"]))"
        case 3: "HOME=\(random.one(of: ["/home/ada", "/srv", "/var/lib/my app"]))"
        default: "\(random.one(of: ["A", "B_1", "LANG"])) = \"\(word(&random))\""
        }
    }

    static func schedule(_ random: inout SplitMix) -> String {
        if random.number(0...5) == 0 {
            return random.one(of: [
                "@daily", "@hourly", "@weekly", "@monthly", "@yearly", "@reboot",
            ])
        }
        return fields(&random)
    }

    static func fields(_ random: inout SplitMix) -> String {
        let bounds = [(0, 59), (0, 23), (1, 28), (1, 12), (0, 7)]
        return bounds.map { field(&random, $0.0, $0.1) }.joined(separator: " ")
    }

    private static func field(_ random: inout SplitMix, _ low: Int, _ high: Int) -> String {
        let first = random.number(low...high)
        let second = random.number(first...high)
        return switch random.number(0...6) {
        case 0: "\(first)"
        case 1 where first < second: "\(first)-\(second)"
        case 2 where first < second: "\(first)-\(second)/\(random.number(1...5))"
        case 3: "*/\(random.number(2...10))"
        case 4 where first < second: "\(first),\(second)"
        default: "*"
        }
    }

    private static func command(_ random: inout SplitMix) -> String {
        let words = (0...random.number(0...3)).map { _ in argument(&random) }
        let input = random.number(0...4) == 0 ? "%\(word(&random))%\\% two \(word(&random))" : ""
        return "/usr/bin/\(word(&random)) \(words.joined(separator: " "))\(input)"
    }

    private static func argument(_ random: inout SplitMix) -> String {
        random.one(of: [
            "a", "'b c'", "\"$HOME/x\"", "100\\%", "a\\ b", "2>&1", "&& true", "| cat", ": {x}",
            "#no", "'it''s'", "\\\\", "é", "[y]", "*", "$(date +\\%F)",
        ])
    }

    private static func word(_ random: inout SplitMix) -> String {
        random.one(of: ["backup", "sync", "report", "clean", "rotate"])
    }
}

/// Generates tasks that systemd units can express, as the reader of units returns them.
enum TaskGenerator {
    static func task(_ random: inout SplitMix) -> PortableTask {
        var task = PortableTask(
            identifier: "local.timers.\(random.one(of: ["backup", "sync-2", "a_b"]))",
            place: SourcePlace(file: ""), command: command(&random))
        if random.number(0...2) == 0 {
            task.schedule = .every(.minutes(Int64(random.number(1...5000))))
            if random.number(0...1) == 0 {
                task.earliest = .seconds(Int64(random.number(1...5000)))
            }
        } else {
            task.schedule = .calendar(
                random.one(of: [
                    ["daily"], ["Mon..Fri *-*-* 09:00:00"], ["*-*-01 00:00:00 UTC", "hourly"],
                    ["Sun 2027-*~03/1 01..05:00/7:30"],
                ]))
            task.catchUp = random.one(of: [.one, CatchUp.none])
            task.triggers.launch = random.number(0...3) == 0
        }
        if random.number(0...1) == 0 { task.jitter = .seconds(Int64(random.number(1...90_000))) }
        if random.number(0...1) == 0 { task.timeLimit = .seconds(Int64(random.number(1...90_000))) }
        if random.number(0...1) == 0 { task.grace = .seconds(Int64(random.number(1...300))) }
        if random.number(0...2) == 0 { task.requires = [.init(key: "power", value: "external")] }
        if random.number(0...2) == 0 { task.user = "www-data" }
        if random.number(0...2) == 0 {
            let delay = Interval.seconds(Int64(random.number(1...9000)))
            task.retry = RetryRule(
                backoff: .linear, from: delay, to: delay,
                attempts: random.one(of: [nil, random.number(2...9)]))
        }
        return task
    }

    private static func command(_ random: inout SplitMix) -> PortableCommand {
        let word = { (random: inout SplitMix) in
            random.one(of: [
                "a", "b c", "$HOME", "${X}y", "100%", "it's", "say \"hi\"", "back\\slash", "", ";",
                "tab\there", "line\nbreak", "é", "#x", "$$", "*", "\u{1}",
            ])
        }
        let words = (0...random.number(0...4)).map { _ in word(&random) }
        var command = PortableCommand(
            random.number(0...1) == 0
                ? .shell(words.joined(separator: " ") + " true")
                : .program(
                    random.one(of: [[], ["nice", "-n", "19"], ["ionice", "-c", "3"]])
                        + ["/usr/bin/env"] + words))
        command.directory = random.one(of: ["/", "/srv/my app", "/var/100%"])
        for name in ["A", "B_2"] where random.number(0...1) == 0 {
            command.environment.append(.init(name, word(&random)))
        }
        if random.number(0...3) == 0 { command.input = "one\n  two % \\ \"three\"\n\nfour \n" }
        if random.number(0...3) == 0 { command.successCodes = [0, 3, 75] }
        if random.number(0...3) == 0 { command.expireSignal = "INT" }
        return command
    }
}
