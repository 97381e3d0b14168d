// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Hooks, transfers and pushes.
extension Section {
    static let hook = Section("a hook", oneOf: ["run", "post"]) {
        Key(
            "on",
            .either([
                .words(HookTrigger.self),
                .list(of: .words(HookTrigger.self), count: 1...Int.max, isUnique: true),
            ]), isRequired: true, as: "one or several of " + Form.words(HookTrigger.self).words,
            "[Events](hooks.md#events).", hint: "The events after which the hook runs")
        Key(
            "tasks", .list(of: .identifiers), default: "all", as: "identifiers, also wildcards",
            "Its tasks.")
        Key(
            "run", .either([.text(), .section(hookCommand)]),
            as: "shell line, or [command](#a-command-of-a-hook)", "What runs.")
        Key("post", .address, as: "`https://` or `http://` address", "Receives the event as JSON.")
        Key("headers_file", .path, "With `post`: [headers](hooks.md#web-requests).")
        Key("ca_file", .path, default: "the system's", "With `post`: trusted certificates (PEM).")
        Key(
            "after", .count(1...1_000_000), default: "`1`",
            "Fires from this number of failures in a row on.")
        Key(
            "every", .year, default: "no limit",
            "Once per task in this time; recoveries count separately.")
        Key(
            "waiting", .year, default: "the policy's `starvation_deadline`; `1d` if that is 0",
            "With `starved`: time for which a request has been due.")
        Key(
            "timeout", .duration(.seconds(1) ... .hours(1)), default: "`30s`",
            "Then everything it started is killed; for `post`, covers all tries.")
    }

    static let hookCommand = Section("`run`", oneOf: ["command", "argv"]) {
        Key("command", .text(), "a line of `/bin/sh`")
        Key(
            "argv", .list(of: .verbatim(), count: 1...Int.max), as: "texts",
            "program and arguments, without a shell")
        Key("directory", .path, default: "the manifest's", "working directory")
        Key(
            "environment", .environment, as: "mapping of texts",
            "variables over the host's and the event's")
    }

    static let transfer = Section(
        "a transfer",
        oneOf: [
            Choice(key: "download", others: ["to": .file]),
            Choice(key: "upload", others: ["to": .address]),
        ]
    ) {
        Key("download", .address, as: "`https://` or `http://` address", "Source of a download.")
        Key("upload", .file, as: "path", "File to send.")
        Key(
            "to", .path, isRequired: true, as: "path of a download, address of an upload",
            "Destination.")
        Key("method", .words(["PUT", "POST"]), default: "`PUT`", "Request of an upload.")
        Key(
            "sha256", .digest, as: "64 hexadecimal digits",
            "Digest of a download. With another, it is fetched once more, and never put in place.")
        Key(
            "discretionary", .flag, default: "`false`",
            "Needs an unmetered network and external power.")
        Key("metered", .flag, default: "`true`", "May use metered networks.")
        Key("every", .year, default: "once", "Time from its end to the next run.")
        Key(
            "then", .identifier, as: "identifier of a task",
            "Submitted [after a success](transfers.md#what-follows).")
        Key("on_failure", .identifier, as: "identifier of a task", "Submitted when it is given up.")
        Key("rate", .size(1...1 << 40), default: "no limit", "Bytes per second.")
        Key("max_size", .size(1...1 << 50), default: "`transfer_size`", "Larger downloads fail.")
        Key(
            "connections", .count(1...64), default: "`transfer_connections`",
            "To its server at once, other transfers included.")
        Key("timeout", .section(timeout), "[Timeouts](#timeouts-of-a-transfer).")
        Key(
            "headers",
            .mapping(names: .text(pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"), values: .verbatim()),
            "Request headers, except the service's own, such as `Range`.")
        Key("credentials", .path, "File of mode 0600 with `user:password` or `Bearer ...`.")
        Key("certificate", .section(certificate), "[Client certificate](#a-client-certificate).")
        Key("ca", .path, default: "the system's", "Trusted certificates, PEM.")
        Key(
            "proxy", .address, default: "the environment's", as: "`http://` or `https://` address",
            "Proxy.")
        Key(
            "earliest", .duration(.zero ... .days(366)), default: "`0s`",
            "Minimum delay after its submission.")
        Key(
            "retry", .either([.section(transferRetry), .words(["never"])]), default: "10s to 5h",
            as: "mapping, `never`", "[Retries](#retries-of-a-transfer) of temporary failures.")
        Key("tls", .words(["insecure"]), default: "verified", "Accepts any server.")
    }

    static let timeout = Section("`timeout`") {
        Key(
            "request", .duration(.seconds(1) ... .days(1)), default: "`60s`",
            "a try ends after this time without a byte")
        Key("resource", .year, default: "`7d`", "it is given up this long after its first try")
    }

    static let certificate = Section("`certificate`") {
        Key("file", .path, isRequired: true, as: "path of the certificate, PEM")
        Key("key", .path, isRequired: true, as: "path of the private key, PEM, of mode 0600")
    }

    static let transferRetry = Section("`retry`", id: "transfer-retry") {
        Key(
            "from", .duration(.seconds(1) ... .days(30)), default: "`10s`",
            "first delay; it doubles")
        Key(
            "to", .duration(.seconds(1) ... .days(30)), default: "`5h`",
            as: "duration, `from` to 30d", "maximum delay")
        Key("attempts", .count(1...1000), default: "no limit", "tries in all")
    }

    static let push = Section("`push`", isNeverEmpty: true) {
        Key(
            "inbox", .either([.path, .section(pushPlace)]),
            as: "path, or [place](#a-place-of-pushes)",
            "a [directory](pushes.md#the-inbox) for message files; created if missing")
        Key(
            "socket", .either([.path, .section(pushPlace)]),
            as: "path, or [place](#a-place-of-pushes)", "a [UNIX socket](pushes.md#the-socket)")
        Key(
            "webhook", .section(webhook), as: "[mapping](#a-webhook)",
            "local server with the [protocol of Apple's push service](pushes.md#the-webhook)")
        Key("mqtt", .section(mqtt), as: "[mapping](#mqtt)", "topics of a broker")
    }

    static let pushPlace = Section("a place of pushes", id: "push-place") {
        Key("path", .path, isRequired: true)
        Key("task", .identifiers, as: "`push` task", "receives messages that name no task")
    }

    static let webhook = Section("`webhook`") {
        Key(
            "listen", .digits(), isRequired: true, as: "port, or numeric address and port",
            "of this machine alone, such as `127.0.0.1:8765`")
        Key(
            "token", .path, isRequired: true,
            "file with the bearer token, at least 16 characters, open to its owner only")
    }

    static let mqtt = Section("`mqtt`") {
        Key(
            "broker",
            .text(
                pattern:
                    #"^mqtts?://(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._][A-Za-z0-9._-]*)(:[0-9]{1,5})?/?$"#
            ),
            isRequired: true, as: "`mqtts://host[:8883]`, `mqtt://host[:1883]`",
            "with or without TLS")
        Key(
            "topics",
            .list(
                of: .text(
                    pattern: #"^(?=.)([^+#/]*|\+)(/([^+#/]*|\+))*(/#)?$|^#$"#, longest: 1_024),
                count: 1...Int.max), isRequired: true,
            as: "list; `+` is any level, `#` the rest", "subscribed with QoS 1")
        Key("task", .identifiers, as: "`push` task", "receives messages that name no task")
        Key("credentials", .path, "file with `user:password`, open to its owner only")
        Key("ca", .path, default: "the machine's", "trusted authorities, with `mqtts://`")
        Key(
            "client_id", .text(), default: "`bgrun-` and the app",
            "name of the broker's session. Two hosts with the same name disconnect each other")
    }
}
