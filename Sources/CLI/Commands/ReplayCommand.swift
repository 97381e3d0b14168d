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
        help: "A file of a journal. With an app, too, it is said whether its manifest has changed.",
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
        print(output.json ? try JSONOutput.text(view) : view.text)
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
struct ReplayView: Encodable {
    var files: [File]
    var hosts: Int
    var snapshots: Int
    var events: Int
    var decisions: Int
    var first: String?
    var last: String?
    var versions: [String]
    /// Whether the manifest differs from the last effective one; null without a manifest.
    var manifestChanged: Bool?
    var pauses: Int
    var same: Bool
    var difference: Difference?
    private var span: String
    private var pausedPending: Int

    private enum CodingKeys: CodingKey {
        case files, hosts, snapshots, events, decisions, first, last, versions, manifestChanged
        case pauses, same, difference
    }

    struct File: Encodable {
        var path: String
        var size: Int
        var read: Int
        var records: Int
        /// `whole`, `torn`, `stopped` or `damaged`.
        var ending: String
        var problem: String?
    }

    struct Difference: Encodable {
        var path: String
        var record: Int
        var time: String
        var event: String?
        var decidedNow: [String]
    }

    init(_ report: ReplayReport, _ manifest: Manifest?) {
        files = report.files.map(File.init)
        hosts = report.hosts
        snapshots = report.snapshots
        events = report.events
        decisions = report.actions
        first = report.first?.utcText
        last = report.last?.utcText
        versions = report.versions
        if let manifest, let recorded = report.configuration {
            manifestChanged = manifest.engineConfiguration.digest != recorded
        }
        pauses = report.pauses.count
        pausedPending = report.pauses.pending
        same = report.isProof && report.events > 0
        difference = report.difference.map(Difference.init)
        span = "\(report.first?.localText ?? "-") to \(report.last?.localText ?? "-")"
    }

    var text: String {
        var lines = files.map { file in
            "\(file.path): \(file.records) records, \(file.read) of \(file.size) bytes read"
                + (file.problem.map { ": \($0)" } ?? "")
        }
        for version in versions where version != Version.text {
            lines.append("Written by bgrun \(version); this is \(Version.text).")
        }
        if manifestChanged == true {
            lines.append(
                "The manifest has changed since; what was recorded is replayed as it was declared "
                    + "then.")
        }
        if pauses > 0 {
            lines.append(
                "Not recorded \(pauses) times: a snapshot, of up to \(pausedPending) pending "
                    + "requests, took more than a quarter of `journal_size`.")
        }
        lines.append(
            "\(events) events, \(decisions) decisions (hosts: \(hosts), snapshots: \(snapshots)), "
                + "\(span).")
        if let difference {
            lines.append(difference.text)
        } else if events == 0 {
            lines.append("There is nothing to replay: no event could be read.")
        } else {
            lines.append(
                same
                    ? "Every decision is the same."
                    : "Every decision that could be read is the same.")
        }
        return lines.joined(separator: "\n")
    }
}

extension ReplayView.File {
    fileprivate init(_ file: ReplayReport.File) {
        path = file.path
        size = file.size
        read = file.reading.bytes
        records = file.reading.records
        switch file.reading.ending {
        case .whole: ending = "whole"
        case .torn:
            ending = "torn"
            problem = "its end was not written"
        case .stopped: ending = "stopped"
        case .damaged(let reason):
            ending = "damaged"
            problem = "damaged at byte \(file.reading.bytes): \(reason)"
        }
    }
}

extension ReplayView.Difference {
    fileprivate init(_ difference: ReplayReport.Difference) {
        path = difference.path
        record = difference.number
        time = difference.at.utcText
        event = difference.event.map(Self.plain)
        decidedNow = difference.actions.map(Self.plain)
    }

    fileprivate var text: String {
        guard let event else {
            return "\(path): record \(record), \(time): the snapshot is not what the events before "
                + "it lead to now."
        }
        let heading =
            "\(path): record \(record), \(time): another decision than then.\nEvent: \(event)"
        guard !decidedNow.isEmpty else { return heading + "\nNothing is decided now." }
        return heading + "\nDecided now:\n" + decidedNow.map { "  \($0)" }.joined(separator: "\n")
    }

    /// A value of the engine in Swift syntax, without module names.
    private static func plain(_ value: some Any) -> String {
        var text = String(describing: value)
        while let range = text.firstRange(of: "BGRunPolicy.") { text.removeSubrange(range) }
        return LogText.visible(text)
    }
}
