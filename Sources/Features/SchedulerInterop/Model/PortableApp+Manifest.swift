// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension PortableApp {
    /// The tasks of a manifest, with the schedules as written in the file.
    ///
    /// The manifest has been validated before: invalid parts are skipped here. Throws if it is not
    /// YAML. Notes name `path`.
    package init(manifest bytes: [UInt8], path: String) throws(ManifestProblems) {
        let source = SourceText(bytes: bytes)
        let bag = DiagnosticBag(file: path, source: source)
        guard let root = DocumentKind.manifest.tree(of: source, bag: bag) else {
            throw ManifestProblems(diagnostics: bag.sorted)
        }
        let plugins = Set(
            root["plugins"]?.entries.filter { $0.value.text == "exec" }.map(\.key.text) ?? [])
        self.init(app: root["app"]?.text ?? "", origin: path)
        let user = root["user"]?.text
        noteEnvironment(root, path)
        noteLimits(root, path)
        let followers = Self.followers(root)
        for entry in root["tasks"]?.entries ?? [] {
            var task = PortableTask(
                entry, path: path, handlers: Set(plugins.map { $0 + ".run" }))
            task.user = user
            task.isSubmittedAtLaunch = task.isSubmitted(
                entry.value, isFollower: followers.contains(task.identifier))
            tasks.append(task)
        }
    }

    /// Features that the written files do not support, with a note for each.
    private static let losses = [
        "hooks": "the written file sends no notification",
        "transfers": "no file is fetched or sent: let a task do that, for example with curl",
    ]

    /// Notes the settings that a manifest makes for all its tasks.
    private mutating func noteEnvironment(_ root: Node, _ path: String) {
        let known: Set<String> = [
            "bgrun", "app", "user", "modes", "permitted_identifiers", "plugins", "tasks", "policy",
        ]
        for entry in root.entries {
            let place = SourcePlace(file: path, line: entry.key.span.start.line)
            if entry.key.text == "policy" {
                let said = entry.value.entries.map { "\($0.key.text): \($0.value.text ?? "")" }
                notes.add(
                    .changed, place, "policy",
                    "nothing there goes by \(said.joined(separator: ", "))")
            } else if !known.contains(entry.key.text) {
                notes.add(
                    .lost, place, entry.key.text,
                    Self.losses[entry.key.text] ?? "no other scheduler has such a thing")
            }
        }
    }

    /// The tasks that transfers launch.
    private static func followers(_ root: Node) -> Set<String> {
        let transfers = root["transfers"]?.entries ?? []
        return Set(
            transfers.flatMap { transfer in
                ["then", "on_failure"].compactMap { transfer.value[$0]?.text }
            })
    }

    /// Notes the profile's time limits that the other scheduler does not enforce.
    private mutating func noteLimits(_ root: Node, _ path: String) {
        let policy = root["policy"]
        let profile = policy?["profile"]?.text.flatMap { Policy.Profile(rawValue: $0) } ?? .apple
        let unlimited = (root["tasks"]?.entries ?? []).filter { entry in
            entry.value["expiration"]?["after"] == nil && !entry.key.text.hasSuffix(".*")
        }
        let kinds = Set(unlimited.compactMap(\.value.kind))
        let limits: [(kind: TaskKind, key: String)] = [
            (.appRefresh, "app_refresh_limit"), (.processing, "processing_limit"),
            (.push, "push_limit"), (.continued, "continued_limit"),
        ]
        let said = limits.filter { kinds.contains($0.kind) && policy?[$0.key] == nil }
            .map { one in
                let limit = Policy.profile(profile).timeLimits[one.kind]
                return "\(Quantity.text(limit)) (\(one.kind.name))"
            }
        guard !said.isEmpty else { return }
        notes.add(
            .changed, SourcePlace(file: path), "profile: \(profile.rawValue)",
            "its time limit of \(said.joined(separator: ", ")) is not exported",
            "write `expiration: {after: ...}` for tasks that must end")
    }
}

extension PortableTask {
    /// Whether the host submits it at its start, and it has no date.
    fileprivate func isSubmitted(_ node: Node, isFollower: Bool) -> Bool {
        guard schedule == .manual, !identifier.hasSuffix(".*") else { return false }
        if let submit = node["submit"]?.text { return submit == "launch" }
        let isAwaited = [.push, .continued, .transfer].contains(node.kind)
        return node["on"] == nil && !isFollower && !isAwaited
    }

    /// - Parameter handlers: The handlers of the exec plugin.
    fileprivate init(_ entry: Node.Entry, path: String, handlers: Set<String>) {
        let node = entry.value
        self.init(
            identifier: entry.key.text,
            place: SourcePlace(file: path, line: entry.key.span.start.line),
            command: PortableCommand(node, isExec: handlers.contains(node["handler"]?.text ?? "")))
        description = node["description"]?.text.flatMap(TaskDefinition.description)
        schedule = PortableSchedule(node)
        zone = node["zone"]?.text
        triggers = Triggers(node["on"])
        earliest = node["earliest"]?.interval
        flex = node["flex"]?.interval
        jitter = node["jitter"]?.interval
        startDeadline = node["start_deadline"]?.interval
        catchUp = node["catch_up"]?.text.flatMap(CatchUp.init)
        overlap = node["overlap"]?.text.flatMap(Overlap.init)
        requires =
            node["requires"]?.entries
            .map { Requirement(key: $0.key.text, value: $0.value.text ?? "") }
            .filter { $0.value != "false" } ?? []
        timeLimit = node["expiration"]?["after"]?.interval
        grace = node["expiration"]?["grace"]?.interval
        retry = node["retry"].flatMap(RetryRule.init)
        let known: Set<String> = [
            "description", "kind", "handler", "call", "calls", "parameters", "environment",
            "requires", "earliest",
            "every", "cron", "calendar", "zone", "on", "flex", "submit", "expiration", "retry",
            "overlap", "catch_up", "jitter", "start_deadline",
        ]
        otherKeys = node.entries.map(\.key.text).filter { !known.contains($0) }
    }
}

extension PortableSchedule {
    fileprivate init(_ node: Node) {
        if let every = node["every"]?.interval {
            self = .every(every)
        } else if let cron = node["cron"]?.text {
            self = .cron(cron)
        } else if let calendar = node["calendar"] {
            self = .calendar(calendar.text.map { [$0] } ?? calendar.items.compactMap(\.text))
        } else {
            self = .manual
        }
    }
}

extension PortableTask.Triggers {
    fileprivate init(_ node: Node?) {
        self.init()
        for entry in node?.entries ?? [] {
            switch entry.key.text {
            case "launch": launch = entry.value.text == "true"
            case "resume": resume = entry.value.text == "true"
            case "path": path = entry.value.text
            case "socket": socket = PortableTask.Socket(entry.value)
            case let other: others.append(other)
            }
        }
    }
}

extension PortableTask.Socket {
    fileprivate init?(_ node: Node) {
        let mode = node["mode"]?.text ?? String(SocketAddress.defaultMode, radix: 8)
        if let path = node.text ?? node["unix"]?.text {
            self.init(address: path, mode: mode.hasPrefix("0o") ? String(mode.dropFirst(2)) : mode)
        } else if let address = node["tcp"]?.text {
            // A port alone means this machine only; systemd would listen on every address.
            self.init(
                address: address.contains(":") ? address : "\(SocketAddress.loopback):\(address)")
        } else {
            return nil
        }
    }
}

extension PortableCommand {
    fileprivate init(_ node: Node, isExec: Bool) {
        let parameters = node["parameters"]
        if isExec, let line = parameters?["command"]?.text {
            self.init(.shell(line))
        } else if isExec, let argv = parameters?["argv"]?.items.compactMap(\.text) {
            self.init(.program(argv))
        } else {
            self.init(.bgrun(node["handler"]?.text ?? "a foreign call"))
        }
        for entry in (node["environment"]?.entries ?? [])
            + (parameters?["environment"]?.entries ?? [])
        {
            environment[entry.key.text] = entry.value.text
        }
        directory = parameters?["directory"]?.text
        input = parameters?["input"]?.text
        successCodes = parameters?["success_codes"]?.items.compactMap {
            $0.text.flatMap { Int($0) }
        }
        expireSignal = parameters?["expire_signal"]?.text
    }
}

extension RetryRule {
    fileprivate init?(_ node: Node) {
        guard !node.entries.isEmpty else { return nil }
        self.init(from: node["from"]?.interval ?? .seconds(30))
        backoff = node["backoff"]?.text.flatMap(Backoff.init) ?? .exponential
        to = node["to"]?.interval ?? max(from, .hours(5))
        attempts = node["attempts"]?.text.flatMap { Int($0) }
    }
}

extension Node {
    fileprivate var text: String? {
        if case .scalar(let scalar) = content { scalar.text } else { nil }
    }

    fileprivate var entries: [Entry] {
        if case .mapping(let entries) = content { entries } else { [] }
    }

    fileprivate var items: [Node] {
        if case .sequence(let items) = content { items } else { [] }
    }

    fileprivate var kind: TaskKind? { self["kind"]?.text.flatMap { TaskKind(name: $0) } }

    fileprivate var interval: Interval? { text.flatMap(Interval.init(manifestText:)) }

    fileprivate subscript(key: String) -> Node? {
        entries.first { $0.key.text == key }?.value
    }
}
