// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunEventLog
import BGRunManifest
import BGRunProtocol
import BGRunStorage

struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Replay recorded runs and verify their decisions.",
        discussion: """
            Feeds the journal of an app, or one file of a journal, to this bgrun's engine. Exits with \
            1 at the first decision that differs, with 65 when the journal is damaged, with 66 when \
            there is nothing to replay. Works while the host runs.

            Example: bgrun replay --app com.example.notes
            """)

    @OptionGroup var app: AppChoice

    @Argument(
        help: "A file of a journal. With an app, also shows whether its manifest has changed.",
        completion: .file())
    var file: String?

    @OptionGroup var output: JSONOption

    func validate() throws {
        if !app.isGiven, file == nil {
            throw ValidationError(
                "missing app: give --manifest <file>, --app <name> or a file of a journal")
        }
    }

    func run() throws {
        let manifest = app.isGiven ? try app.readManifest() : nil
        let report = ReplayReport(try images(manifest))
        let view = ReplayView(report, manifest)
        print(output.json ? try JSONOutput.text(view.json) : view.text)
        if report.difference != nil { throw Exit.attemptFailed }
        if !report.isProof { throw Exit.badData }
        if report.events == 0 { throw Exit.noInput }
    }

    private func images(_ manifest: Manifest?) throws -> [JournalImage] {
        if let file { return [try JournalImage.read(file)] }
        guard let manifest else { return [] }
        let state = try app.stateDirectory(of: manifest.app).readable()
        let images = try JournalImage.read(state.journalPaths)
        if images.isEmpty {
            throw Exit.noInput.reporting(
                "no journal in \(state.path); a host writes it, unless "
                    + "`journal_size` is 0")
        }
        return images
    }
}

/// A replay's report, as it is printed.
struct ReplayView {
    private let report: ReplayReport
    /// Whether the manifest differs from the last effective one; nil without a manifest.
    private let manifestChanged: Bool?
    private let isSame: Bool

    init(_ report: ReplayReport, _ manifest: Manifest?) {
        self.report = report
        manifestChanged = manifest.flatMap { manifest in
            report.configuration.map { manifest.engineConfiguration.digest != $0 }
        }
        isSame = report.isProof && report.events > 0
    }

    var json: JSONValue {
        .members([
            "files": .array(report.files.map(\.json)), "hosts": .count(report.hosts),
            "snapshots": .count(report.snapshots), "events": .count(report.events),
            "decisions": .count(report.actions),
            "first": (report.first?.utcText).map(JSONValue.string),
            "last": (report.last?.utcText).map(JSONValue.string),
            "versions": .strings(report.versions),
            "manifestChanged": manifestChanged.map(JSONValue.bool),
            "pauses": .count(report.pauses.count), "same": .bool(isSame),
            "difference": report.difference?.json,
        ])
    }

    var text: String {
        var lines = report.files.map { file in
            "\(file.path): \(file.reading.records) records, \(file.reading.bytes) of "
                + "\(file.size) bytes read" + (file.state.problem.map { ": \($0)" } ?? "")
        }
        for version in report.versions where version != Version.text {
            lines.append("Written by bgrun \(version); this is \(Version.text).")
        }
        if manifestChanged == true {
            lines.append(
                "The manifest has changed since; what was recorded is replayed as it was declared "
                    + "then.")
        }
        if report.pauses.count > 0 {
            lines.append(
                "Not recorded \(report.pauses.count) times: a snapshot, of up to "
                    + "\(report.pauses.pending) pending requests, took more than a quarter of "
                    + "`journal_size`.")
        }
        lines.append(
            "\(report.events) events, \(report.actions) decisions (hosts: \(report.hosts), "
                + "snapshots: \(report.snapshots)), \(report.first?.localText ?? "-") to "
                + "\(report.last?.localText ?? "-").")
        if let difference = report.difference {
            lines.append(difference.text)
        } else if report.events == 0 {
            lines.append("There is nothing to replay: no event could be read.")
        } else {
            lines.append(
                isSame
                    ? "Every decision is the same."
                    : "Every decision that could be read is the same.")
        }
        return lines.joined(separator: "\n")
    }
}

extension ReplayReport.File {
    fileprivate var json: JSONValue {
        .members([
            "path": .string(path), "size": .count(size), "read": .count(reading.bytes),
            "records": .count(reading.records), "ending": .string(state.ending),
            "problem": state.problem.map(JSONValue.string),
        ])
    }

    fileprivate var state: (ending: String, problem: String?) {
        switch reading.ending {
        case .whole: ("whole", nil)
        case .torn: ("torn", "its end was not written")
        case .stopped: ("stopped", nil)
        case .damaged(let reason): ("damaged", "damaged at byte \(reading.bytes): \(reason)")
        }
    }
}

extension ReplayReport.Difference {
    fileprivate var json: JSONValue {
        .members([
            "path": .string(path), "record": .count(number), "time": .string(at.utcText),
            "event": event.map { .string(Self.plain($0)) },
            "decidedNow": .strings(actions.map { Self.plain($0) }),
        ])
    }

    fileprivate var text: String {
        guard let event else {
            return "\(path): record \(number), \(at.utcText): the snapshot differs from the result "
                + "of the events before it."
        }
        let heading =
            "\(path): record \(number), \(at.utcText): the decision differs from the recorded one.\nEvent: "
            + Self.plain(event)
        guard !actions.isEmpty else { return heading + "\nNothing is decided now." }
        return heading + "\nDecided now:\n"
            + actions.map { "  \(Self.plain($0))" }.joined(separator: "\n")
    }

    /// A value of the engine in Swift syntax, without module names.
    private static func plain(_ value: some Any) -> String {
        var text = String(describing: value)
        while let range = text.firstRange(of: "BGRunPolicy.") { text.removeSubrange(range) }
        return LogText.visible(text)
    }
}
