// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunManifest
import BGRunProtocol
import FoundationEssentials

/// The data for a hook: the body of a web request or the standard input of a command. Docs/hooks.md explains the
/// members; members are only ever added.
package struct HookEvent: Codable, Equatable, Sendable {
    var event: HookTrigger
    /// One line for people, for example as the subject of a mail.
    var subject = ""
    var app: String
    var identifier: String
    /// Milliseconds since 1970.
    var at: Int64
    package var attempt: Int64?
    package var outcome: String?
    /// Why its time was revoked, the limit that it reached, or why a request waits.
    package var reason: String?
    package var message: String?
    /// Failures of the task in a row, including this one; for `recovered`, the failures before.
    var failures: Int64
    /// How long a starving request has been due, in milliseconds.
    package var waited: Int64?
    /// The absolute path of the manifest.
    var manifest: String
    /// The last lines of the attempt's output.
    package var output: [String] = []
    /// Firings that were dropped before this one because the queue was full.
    var dropped: Int?

    package init(
        event: HookTrigger, app: String, identifier: String, at: Int64, failures: Int64,
        manifest: String
    ) {
        self.event = event
        self.app = app
        self.identifier = identifier
        self.at = at
        self.failures = failures
        self.manifest = manifest
    }

    /// The maximum number of output lines for a hook.
    static let outputLines = 20
    /// Their maximum size together. JSON in JSON takes up to 7 bytes for one, and the message that launches an
    /// attempt is limited to 4 MiB.
    static let outputBytes = 256 << 10

    /// Takes the last of `lines` that fit; the last one is cut if it alone does not.
    mutating func takeOutput(_ lines: [String]) {
        var left = Self.outputBytes
        let fitting = lines.reversed().prefix { line in
            left -= line.utf8.count
            return left >= 0
        }
        output =
            fitting.isEmpty
            ? lines.suffix(1).map { $0.cut(to: Self.outputBytes) } : fitting.reversed()
    }

    init?(json: String) {
        guard let event = try? JSONDecoder().decode(Self.self, text: json.utf8) else { return nil }
        self = event
    }

    /// JSON on one line.
    var json: String { sortedJSON }

    /// The same with its subject filled in.
    package func withSubject() -> Self {
        var copy = self
        let what =
            switch event {
            case .failed, .expired, .interrupted, .completed:
                [outcome ?? event.rawValue, reason].compactMap(\.self).joined(separator: ", ")
                    + (failures > 1 ? " (\(failures) times in a row)" : "")
            case .gaveUp: "given up" + (outcome.map { ", \($0)" } ?? "")
            case .skipped: "skipped"
            case .refused: "not scheduled"
            case .starved: "has not run, though it was due long ago"
            case .recovered: "completed again"
            }
        let detail = (message ?? (event == .starved ? reason : nil)).map { ": \($0)" } ?? ""
        copy.subject = Self.line("bgrun: \(identifier) \(what)\(detail)", limit: 200)
        return copy
    }

    /// The environment of a command. No value can end a line of a mail header.
    var environment: [String: String] {
        [
            "BGRUN_EVENT": event.rawValue, "BGRUN_APP": app, "BGRUN_IDENTIFIER": identifier,
            "BGRUN_ATTEMPT": attempt.map { String($0) } ?? "", "BGRUN_OUTCOME": outcome ?? "",
            "BGRUN_REASON": Self.line(reason ?? "", limit: 1_000),
            "BGRUN_MESSAGE": Self.line(message ?? "", limit: 4_000),
            "BGRUN_FAILURES": String(failures), "BGRUN_SUBJECT": subject,
            "BGRUN_MANIFEST": manifest,
        ]
    }

    /// `text` on one line, cut off after `limit` characters.
    private static func line(_ text: String, limit: Int) -> String {
        var line = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            line.unicodeScalars.append(isControl ? " " : scalar)
        }
        return line
    }
}
