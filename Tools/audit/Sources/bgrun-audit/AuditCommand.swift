// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunAudit
import Glibc

@main
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bgrun-audit",
        abstract: "Find mistakes in Swift code that handles background tasks.",
        discussion: """
            Reads sources written for Apple's BackgroundTasks, or for bgrun, and follows every \
            path through their handlers. `bgrun audit --manifest app.yaml FILE...` runs it with \
            what a manifest lists. A comment "// bgrun:ignore RULE REASON" on the line of a \
            finding, or above it, hides the finding.

            Exit codes: 0 no findings; 1 findings; 64 usage; 65 a file that cannot be read as \
            what it should be; 66 no such file; 74 input/output error.
            """,
        version: auditVersion)

    @Argument(
        help: ArgumentHelp("Swift files, and directories of them.", valueName: "path"),
        completion: .file(extensions: ["swift"]))
    var paths: [String] = []

    @Option(
        help: ArgumentHelp("An app's Info.plist: its identifiers and modes.", valueName: "file"),
        completion: .file(extensions: ["plist"]))
    var infoPlist: String?

    @Option(
        help: ArgumentHelp("What a manifest lists, as `bgrun audit` says it.", visibility: .hidden))
    var declared: String?

    @Flag(help: "Print the findings as JSON.")
    var json = false

    @Flag(help: "Print the findings as SARIF 2.1.0.")
    var sarif = false

    @Flag(help: "Change the files where a rule knows how, and show what is left.")
    var fix = false

    @Flag(help: "Show every rule, and audit nothing.")
    var listRules = false

    func validate() throws {
        if json && sarif { throw ValidationError("choose one of --json and --sarif") }
        if declared != nil && infoPlist != nil {
            throw ValidationError("choose one of a manifest and --info-plist")
        }
        if paths.isEmpty && !listRules { throw ValidationError("name files or directories") }
    }

    func run() throws {
        if listRules { return print(RuleList.text) }
        let declared = try declaration()
        var sources = try SourceSet(paths: paths)
        var findings = Audit.findings(in: sources.files, declared: declared)
        if fix {
            findings = try sources.fix(findings) { Audit.findings(in: $0, declared: declared) }
        }
        try show(findings, in: sources)
        if sources.hasProblems { throw ExitCode(65) }
        if !findings.isEmpty { throw ExitCode(1) }
    }

    private func declaration() throws -> Declared? {
        do throws(DeclaredError) {
            if let declared { return try Declared(json: declared) }
            guard let infoPlist else { return nil }
            return try Declared(infoPlist: infoPlist, bytes: FileContent.bytes(of: infoPlist))
        } catch {
            complain(error.message)
            throw ExitCode(error.isMissingFile ? 66 : 65)
        }
    }

    private func show(_ findings: [Finding], in sources: SourceSet) throws {
        if json { return print(try JSONReport.text(of: findings)) }
        if sarif {
            let report = SARIFReport(files: sources.files, version: auditVersion)
            return print(try report.text(of: findings))
        }
        let report = TextReport(files: sources.files)
        for finding in findings { print(report.text(of: finding)) }
        print(TextReport.summary(of: findings, fileCount: sources.files.count))
    }
}

/// bgrun's version; a test checks that.
let auditVersion = "0.1.0"

/// Writes `bgrun-audit: message` to standard error.
func complain(_ message: String) {
    let line = "bgrun-audit: \(message)\n"
    write(STDERR_FILENO, line, line.utf8.count)
}

enum RuleList {
    /// Every rule with its severity and its sentence.
    static var text: String {
        let width = allRules.reduce(0) { max($0, $1.id.count) }
        return allRules.map { rule in
            [
                rule.id.padded(to: width), rule.severity.rawValue.padded(to: 7), rule.sentence,
            ].joined(separator: "  ")
        }.joined(separator: "\n")
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
