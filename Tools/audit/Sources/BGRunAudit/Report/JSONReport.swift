// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Findings for programs: an array of objects, with the names of ``Finding``.
public enum JSONReport {
    private struct Entry: Encodable {
        var file: String
        var line: Int
        var column: Int
        var severity: String
        var rule: String
        var message: String
        var why: String
        var remedy: String
        var notes: [Note]
        var fix: EncodedFix?
    }

    private struct Note: Encodable {
        var file: String
        var line: Int
        var column: Int
        var message: String
    }

    private struct EncodedFix: Encodable {
        var message: String
        var edits: [Edit]
    }

    /// Bytes of the file, from 0.
    private struct Edit: Encodable {
        var start: Int
        var end: Int
        var text: String
    }

    public static func text(of findings: [Finding]) throws -> String {
        let entries = findings.map { finding in
            Entry(
                file: finding.file, line: finding.place.line, column: finding.place.column,
                severity: finding.rule.severity.rawValue, rule: finding.rule.id,
                message: finding.message, why: finding.rule.why, remedy: finding.rule.remedy,
                notes: finding.notes.map {
                    Note(
                        file: $0.file, line: $0.place.line, column: $0.place.column,
                        message: $0.message)
                },
                fix: finding.fix.map { fix in
                    EncodedFix(
                        message: fix.message,
                        edits: fix.edits.map {
                            Edit(
                                start: $0.range.lowerBound, end: $0.range.upperBound, text: $0.text)
                        })
                })
        }
        return try encoded(entries)
    }

    static func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
