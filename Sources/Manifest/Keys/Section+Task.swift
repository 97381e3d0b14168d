// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem

/// A task and its parts.
extension Section {
    static let task = Section(
        "a task", oneOf: ["handler", "calls", "call"], remedies: taskRemedies
    ) {
        Key(
            "description",
            .text(
                pattern: #"^(?=.*\S)[^\u0000-\u001F\u007F-\u009F\u2028\u2029]{1,"#
                    + "\(TaskDefinition.longestDescription)}" + #"\n?$"#),
            as: "text, one line of at most \(TaskDefinition.longestDescription) characters",
            "What the task does, for people. `explain` and the dashboard show it; exported units have it as `Description=`."
        )
        Key(
            "tags",
            .list(
                of: .text(pattern: "^[A-Za-z0-9._:/-]+$", longest: Tags.longest),
                count: 0...Tags.most),
            as: "list of at most \(Tags.most) texts",
            "Names by which its requests are found: `pending`, `history` and `cancel` have `--tag`. Each has "
                + Tags.form
                + "; a submission may add some. A request keeps those it was submitted with.")
        Key(
            "kind", .words(TaskKind.allCases.map(\.name)), isRequired: true,
            "[Kind](which-kind.md#the-kinds), which decides time and mode.")
        Key(
            "handler", .text(pattern: #"^[^.]+(\..+)?$"#), as: "`plugin.handler`, or `plugin`",
            "The plugin alone means its handler `default` ([Swift SDK](swift-guide.md)).")
        Key(
            "calls", .list(of: .section(call), count: 1...ForeignLimits.calls),
            as: "1 to \(ForeignLimits.calls) calls", "Calls in order until one fails.")
        Key("call", .section(call), "One [call of a C function](#a-call).")
        Key(
            "parameters", .mapping(names: .any, values: .any), default: "`{}`", as: "mapping",
            "JSON object for the handler, in the file's order. A submission's own override it.")
        Key(
            "environment", .environment, as: "mapping of texts",
            "Variables over the host's. Numbers stay as written; quote truth values.")
        Key(
            "env_file", .either([.path, .list(of: .path, count: 1...Int.max)]),
            as: "path, or list of paths", "[Files of variables](#files-of-variables).")
        Key(
            "secrets",
            .mapping(
                names: .text(pattern: "^[A-Za-z_][A-Za-z0-9_]{0,\(Secret.longestName - 1)}$"),
                values: .section(secret)),
            as: "mapping of at most \(Secret.most) [secrets](#a-secret)",
            "Passed to each attempt, not to foreign calls.")
        Key(
            "confine", .confinement, default: "the plugin's", as: Section.confinementWords,
            "What its handler or calls may do.")
        Key(
            "requires", .section(requires),
            "[Conditions](#requires), for `processing` and `continued`.")
        Key(
            "earliest", .duration(.zero ... .days(366)), default: "`0s`",
            "Minimum delay from submission to launch.")
        Key("every", .year, default: "once", "Time from one launch to the next. Not for wildcards.")
        Key(
            "flex", .duration(.zero ... .days(366)), default: "`0s`", as: "duration below `every`",
            "[Time before a period's end](schedules.md#every-with-flex) in which the launch may be."
        )
        Key(
            "cron", .text(),
            "Launch dates in cron's form ([schedules](schedules.md)), instead of `every`.")
        Key(
            "calendar", .either([.text(), .list(of: .text(), count: 1...Int.max)]),
            as: "text or list", "Launch dates as in systemd.time(7), instead of `every` or `cron`.")
        Key(
            "zone", .text(), default: "the machine's", as: "time zone, `UTC`",
            "[Zone](schedules.md#time-zones) of `cron` and `calendar`.")
        Key(
            "start_deadline", .year,
            "With `cron` and `calendar`: a date delayed for so long is skipped and logged.")
        Key(
            "on", .section(on), "[Other triggers](#on).",
            hint: "What submits the task besides its schedule")
        Key(
            "submit", .words(TaskDeclaration.Submission.self),
            default:
                "`launch`; `manual` for wildcards, with `on` without a schedule, and for `push`, "
                + "`continued`, `transfer` without a calendar",
            "Submitter of the first request. `launch`: the host at its start, unless one is pending. "
                + "`manual`: a person, a program or a handler.")
        Key(
            "expiration", .section(expiration), default: "policy",
            "[Time of an attempt](#expiration).")
        Key(
            "retry", .either([.section(retry), .words(["never"])]), default: "`never`",
            as: "mapping, `never`", "[After a failure](#retry); not for `continued`.")
        Key(
            "overlap", .words(Overlap.self), default: "`queue`",
            "A request [while its identifier runs](policy.md#overlap).")
        Key(
            "catch_up", .words(CatchUp.self), default: "`one`",
            "Periods and dates [without a launch](schedules.md#missed-dates).")
        Key(
            "jitter", .duration(.zero ... .days(7)), default: "`0s`",
            "Maximum random delay of each scheduled launch. Calendar dates do not move.")
        Key(
            "strategy", .words(Strategy.self), default: "`queue`",
            "A `continued` request that cannot start at once is refused or delayed.")
    }

    private static let taskRemedies = [
        "timeout": "write `expiration: {after: 5m}`", "env": "write `environment: {NAME: value}`",
        "environment_file": "write `env_file: ./app.env`",
        "power": "write `requires: {power: external}`",
        "network": "write `requires: {network: any}`",
        "path": "write `on: {path: ...}`", "socket": "write `on: {socket: ...}`",
        "grace": "write `expiration: {grace: 5s}`",
    ].merging(
        ["command", "argv", "directory", "input", "stdin", "success_codes", "expire_signal"].map {
            ($0, "put it under `parameters`")
        }
    ) { first, _ in first }

    /// The remedies for parameters of `exec.run`.
    static let execRemedies = [
        "timeout": "write `expiration: {after: 5m}` beside `parameters`",
        "env": "write `environment: {NAME: value}`",
    ]

    static let on = Section("`on`", id: "triggers") {
        Key("launch", .flag, default: "`false`", "a host starts (cron: `@reboot`)")
        Key("resume", .flag, default: "`false`", "the machine resumes from sleep")
        Key(
            "path", .path,
            "the file or directory, which may be missing, changes. A burst is one request, changes "
                + "during the run one more")
        Key(
            "socket", .either([.path, .section(socket)]), as: "path or [mapping](#socket)",
            "a client connects")
    }

    static let socket = Section(
        "`socket`", oneOf: ["unix", "tcp"], requiredWith: ["mode": "unix"]
    ) {
        Key(
            "unix", .path, as: "path, at most 107 bytes",
            "UNIX socket. Only the host's user or root may have write permission on its directory")
        Key(
            "mode", .verbatim(), default: "`0600`", as: "with `unix`, octal digits",
            "permission to connect (write)")
        Key(
            "tcp", .verbatim(), as: "`127.0.0.1:9000`, `\"[::1]:9000\"`, `9000`",
            "numeric address and port. A port alone means 127.0.0.1; `0.0.0.0` all IPv4, `[::]` all "
                + "IPv6 addresses")
    }

    static let secret = Section("a secret", oneOf: ["file", "credential"]) {
        Key("file", .file, as: "path", "a file of mode 0600")
        Key(
            "credential", .text(pattern: #"^[!-.0-9;-~]{1,255}$"#), as: "name",
            "a file in the host's `$CREDENTIALS_DIRECTORY` (`LoadCredential=` in its unit)")
    }

    static let requires = Section("`requires`") {
        Key("power", .words(["external"]), "mains or USB power")
        Key("network", .words(["any", "unmetered"]), "a network, or an unmetered one")
        Key("idle", .flag, default: "`false`", "the device is unused")
        Key(
            "battery", .words(["not-low"]),
            "charge of at least the policy's `low_battery`, or a device without a battery")
        PlainReading.all.map { reading in
            reading.required.map { Key(reading.name, .words([$0]), reading.meaning) }
                ?? Key(reading.name, .flag, default: "`false`", reading.meaning)
        }
    }

    static let expiration = Section("`expiration`") {
        Key("after", .year, default: "the kind's limit", "time of an attempt")
        Key(
            "grace", .duration(.zero ... .hours(1)), default: "`grace`",
            as: "duration to `grace_maximum`", "time from the notice to SIGTERM")
    }

    static let retry = Section("`retry`") {
        Key(
            "backoff", .words(RetryRule.Backoff.self), default: "`exponential`",
            "delay of `from` times the failures, or doubled each time")
        Key("from", .duration(.seconds(1) ... .days(30)), default: "`30s`", "first delay")
        Key(
            "to", .duration(.seconds(1) ... .days(30)), default: "`5h`, or a longer `from`",
            as: "duration, `from` to 30d", "maximum delay")
        Key("attempts", .count(1...1000), default: "no limit", "attempts in all")
    }
}
