// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunSimulation

/// Draws the manifest of a seed: a few tasks of every kind, and low limits.
enum RandomManifest {
    static let tasks = (0..<6).map { "org.test.t\($0)" }
    static let wildcard = "org.test.w"
    /// The identifiers to submit: the tasks, and two identifiers of the wildcard.
    static let identifiers = tasks + ["\(wildcard).a", "\(wildcard).b"]

    private static let kinds = ["processing", "app-refresh", "push", "continued"]

    /// - Parameter kinds: The kinds of the tasks if they are known: another manifest of the same app keeps
    ///   them.
    static func text(_ random: inout SeededGenerator, kinds known: [String] = []) -> String {
        var lines = [
            "bgrun: 1", "app: org.test.app",
            "modes: [fetch, processing, remote-notification]",
            "permitted_identifiers: [org.test.*]",
            "policy:", "  profile: \(random.once(in: 3) ? "apple" : "server")",
            "  pending_app_refresh: 10", "  concurrent_attempts: \(1 + random.below(3))",
            "  store_wait: \([5, 20, 60][random.below(3)])s", "tasks:",
        ]
        for (index, name) in (tasks + ["\(wildcard).*"]).enumerated() {
            let drawn = kinds[random.below(kinds.count)]
            let kind = known.indices.contains(index) ? known[index] : drawn
            lines.append("  \(name):")
            lines += task(kind, isWild: name.hasSuffix("*"), &random).map { "    " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func task(
        _ kind: String, isWild: Bool, _ random: inout SeededGenerator
    ) -> [String] {
        var lines = ["kind: \(kind)", "call: {library: libc.so.6, function: sync}"]
        let grace = random.below(5)
        lines.append("expiration: {after: \(1 + random.below(30))s, grace: \(grace)s}")
        let overlap = ["skip", "queue", "replace", "expire-old"][random.below(4)]
        lines.append("overlap: \(overlap)")
        if kind != "continued", random.once(in: 2) {
            let attempts = random.once(in: 2) ? ", attempts: \(1 + random.below(4))" : ""
            lines.append(
                "retry: {backoff: linear, from: \(5 + random.below(30))s, to: 60s\(attempts)}")
        }
        if kind == "continued" {
            if random.once(in: 3) { lines.append("strategy: fail") }
        }
        if kind == "processing" || kind == "continued", random.once(in: 3) {
            lines.append(
                "requires: {\(["power: external", "network: any", "idle: true", "network: unmetered"][random.below(4)])}"
            )
        }
        guard kind == "processing" || kind == "app-refresh", !isWild else { return lines }
        switch random.below(4) {
        case 0:
            lines.append("every: \(60 + random.below(240))s")
            if random.once(in: 2) { lines.append("jitter: \(1 + random.below(20))s") }
            lines.append("catch_up: \(["none", "one", "all"][random.below(3)])")
        case 1:
            lines.append("cron: \"*/\(1 + random.below(5)) * * * *\"")
            lines.append("zone: UTC")
            if random.once(in: 2) { lines.append("start_deadline: 20s") }
            lines.append("catch_up: \(["none", "one", "all"][random.below(3)])")
        default:
            lines.append("submit: \(random.once(in: 2) ? "launch" : "manual")")
            if random.once(in: 3) { lines.append("earliest: \(random.below(20))s") }
            if random.once(in: 4) { lines.append("on: {resume: true}") }
        }
        return lines
    }

    static func kinds(of manifest: Manifest) -> [String] {
        (tasks + ["\(wildcard).*"]).map {
            manifest.definitions[$0]?.declaration.kind.name ?? "processing"
        }
    }

    static func read(_ text: String) throws -> Manifest {
        try ManifestReader.read(
            bytes: Array(text.utf8), path: "app.yaml", directory: "/tmp"
        ).manifest
    }
}
