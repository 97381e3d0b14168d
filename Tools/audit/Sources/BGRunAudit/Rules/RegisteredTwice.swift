// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum RegisteredTwice: Rule {
    static let id = "registered-twice"
    static let severity = Severity.error
    static let sentence = "Each identifier is registered once."
    static let why = """
        "The system kills the app on the second registration of the same task identifier" \
        (Apple: BGTaskScheduler.h).
        """
    static let remedy = "keep one registration"

    static func check(_ audit: inout RuleContext) {
        var first: [String: Syntax] = [:]
        var places: [(String, Syntax)] = audit.facts.registrations.compactMap { registration in
            registration.identifier.map { ($0.text, Syntax(registration.call)) }
        }
        places += audit.facts.sceneTasks.compactMap { task in
            task.identifier.map { ($0.text, Syntax(task.call.arguments)) }
        }
        for (identifier, place) in places {
            guard let earlier = first[identifier] else {
                first[identifier] = place
                continue
            }
            if earlier.excludes(place) || audit.module(of: earlier) != audit.module(of: place) {
                continue
            }
            audit.report(
                place, "\"\(identifier)\" is registered a second time",
                notes: [(earlier, "registered here first")])
        }
    }
}

extension Syntax {
    /// Whether the two are in different branches of one choice, so that only one of them runs.
    fileprivate func excludes(_ other: Syntax) -> Bool {
        var node = parent
        while let current = node {
            let isChoice =
                current.is(IfConfigDeclSyntax.self) || current.is(IfExprSyntax.self)
                || current.is(SwitchExprSyntax.self)
            if isChoice, current.contains(other) { return true }
            if let guarded = current.parent?.as(CodeBlockItemListSyntax.self),
                guarded.contains(other)
            {
                return false
            }
            node = current.parent
        }
        return false
    }
}

extension RuleContext {
    /// The module in the path of a node's file, after `Sources` or `Tests`: two modules may belong
    /// to two apps.
    fileprivate func module(of node: Syntax) -> String? {
        let parts = program.file(of: node)?.path.split(separator: "/") ?? []
        guard let index = parts.lastIndex(where: { $0 == "Sources" || $0 == "Tests" }),
            index + 2 < parts.count
        else { return nil }
        return parts[...(index + 1)].joined(separator: "/")
    }
}
