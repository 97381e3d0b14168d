// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The effect of the paths through a body on a duty.
struct PathSummary {
    /// Some path fulfils it, or passes it on.
    var discharges = false
    /// Every path that does not throw fulfils it.
    var isSure = false
    /// It is fulfilled before the body ends, not later by a closure.
    var isImmediate = false
    /// An error may leave the body before the duty is fulfilled.
    var throwsOpen = false
    var problems: [PathProblem] = []
    /// Functions that got the task and never complete it.
    var idle: [Function] = []
}

struct PathProblem {
    enum Kind {
        /// No path fulfils it.
        case never
        /// The end of the body is reached by this branch.
        case ends(Branch?)
        case returns
        case throwsOut
        case twice(first: Syntax)
        case schedulesLate(completed: Syntax)
    }

    var kind: Kind
    /// The place of the finding.
    var node: Syntax
    var duty: Duty
    var body: Body
}

/// Follows duties through the functions of a program.
final class Paths {
    let facts: Facts
    private var known: [Key: PathSummary] = [:]
    private var underway: Set<Key> = []
    private var scheduling: [SyntaxIdentifier: Bool] = [:]

    private struct Key: Hashable {
        var body: SyntaxIdentifier
        var names: [String]
        var completers: [String]
        var expiryCompletes: Bool
    }

    init(facts: Facts) {
        self.facts = facts
    }

    func summary(of body: Body, duty: Duty) -> PathSummary {
        let key = Key(
            body: body.node.id, names: duty.names, completers: duty.completers.keys.sorted(),
            expiryCompletes: duty.expiryCompletes)
        if let summary = known[key] { return summary }
        // Assumes that a recursive call does the same as the first one.
        guard underway.insert(key).inserted else {
            return PathSummary(discharges: true, isSure: true, isImmediate: false)
        }
        defer { underway.remove(key) }
        let summary = PathWalker(paths: self, body: body, duty: duty).summarize()
        known[key] = summary
        return summary
    }

    /// The problems of a body that owes the duty to the system.
    func problems(of body: Body, duty: Duty, anchor: Syntax) -> [PathProblem] {
        let summary = summary(of: body, duty: duty)
        guard !summary.discharges else { return summary.problems }
        let place = summary.idle.last.map { Syntax($0.nameToken) } ?? anchor
        return [PathProblem(kind: .never, node: place, duty: duty, body: body)]
    }

    func schedules(_ call: FunctionCallExprSyntax) -> Bool {
        if call.submitsRequest { return true }
        guard let function = facts.program.function(calledBy: call) else { return false }
        if let known = scheduling[function.node.id] { return known }
        let answer = facts.schedules(function.body)
        scheduling[function.node.id] = answer
        return answer
    }

    /// Whether something completes, or receives, the value stored under a name.
    func isUsed(kept name: String, duty: Duty) -> Bool {
        facts.program.calls.contains { call in
            switch duty.kind {
            case .task where call.calleeName == "setTaskCompleted":
                if call.receiver?.lastName == name { return true }
            case .callback where call.calledExpression.lastName == name: return true
            default: break
            }
            return call.arguments.contains { $0.expression.lastName == name }
        }
            || facts.program.files.contains { file in
                file.text.contains(name)
                    && file.tree.all(InitializerClauseSyntax.self).contains {
                        $0.value.lastName == name
                    }
            }
    }
}
