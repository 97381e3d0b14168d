import ArgumentParser
import BGRunAudit
import FoundationEssentials

@main
struct AuditCommand: ParsableCommand {
    @Argument var files: [String]
    func run() throws {
        let sources = try files.map { SourceFile(path: $0, text: try String(contentsOfFile: $0, encoding: .utf8)) }
        for f in Audit.findings(in: sources) {
            print("\(f.file):\(f.place.line):\(f.place.column): \(f.message) [\(f.rule.id)] \(f.fix.map { "\($0.edits)" } ?? "")")
        }
    }
}
