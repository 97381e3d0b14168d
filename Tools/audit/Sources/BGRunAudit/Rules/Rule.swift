// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// One check of the audit.
public protocol Rule: SendableMetatype {
    /// The name in suppressions and SARIF; never changes.
    static var id: String { get }
    static var severity: Severity { get }
    /// The rule, as a sentence.
    static var sentence: String { get }
    /// The consequence of a violation, with a source.
    static var why: String { get }
    /// The remedy for a finding.
    static var remedy: String { get }

    static func check(_ audit: inout RuleContext)
}

public enum Severity: String, Sendable {
    /// The task does not run, or the app is terminated.
    case error
    /// It runs less often, or loses work.
    case warning
}

/// The input of a rule, and its findings.
public struct RuleContext {
    let facts: Facts
    let paths: Paths
    var rule: any Rule.Type
    var findings: [Finding] = []

    var program: Program { facts.program }

    /// Reports a finding at the first token of `node`.
    mutating func report(
        _ node: some SyntaxProtocol, _ message: String, rule other: (any Rule.Type)? = nil,
        notes: [(Syntax, String)] = [], fix: Fix? = nil
    ) {
        guard let file = program.file(of: node) else { return }
        let place = file.place(of: node.positionAfterSkippingLeadingTrivia)
        let noted = notes.compactMap { node, message -> Finding.Note? in
            guard let file = program.file(of: node) else { return nil }
            let place = file.place(of: node.positionAfterSkippingLeadingTrivia)
            return Finding.Note(file: file.path, place: place, message: message)
        }
        findings.append(
            Finding(
                rule: other ?? rule, file: file.path, place: place, message: message,
                notes: noted, fix: fix))
    }

    /// The line that a node begins at, for messages.
    func line(of node: some SyntaxProtocol) -> Int {
        program.file(of: node)?.place(of: node.positionAfterSkippingLeadingTrivia).line ?? 0
    }
}
