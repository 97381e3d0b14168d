// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Apple: "Not calling setTaskCompleted(success:) before the time for the task expires may result
/// in the system killing your app."
enum CompletionOnEveryPath: Rule {
    static let id = "completion-on-every-path"
    static let severity = Severity.error
    static let sentence = "Every path through a launch handler completes the task."
    static let why = """
        An uncompleted task runs until its time is over; the system may then kill the app and give \
        it less time (Apple: BGTask.setTaskCompleted(success:); WWDC19-707).
        """
    static let remedy = "call setTaskCompleted(success:) on this path, too; false says it failed"

    static func check(_ audit: inout RuleContext) {
        for problem in audit.taskProblems {
            switch problem.kind {
            case .never, .ends, .returns, .throwsOut:
                audit.report(
                    problem.node, problem.message(in: audit), fix: problem.completionFix(in: audit))
            case .twice, .schedulesLate: break
            }
        }
    }
}

extension RuleContext {
    /// The problems of the paths of handlers with a task, each once.
    var taskProblems: [PathProblem] {
        var seen: Set<SyntaxIdentifier> = []
        var problems: [PathProblem] = []
        for handler in facts.handlers {
            guard let task = handler.task, let body = handler.body else { continue }
            let duty = Duty(kind: .task, names: [task])
            for problem in paths.problems(of: body, duty: duty, anchor: handler.anchor)
            where seen.insert(problem.node.id).inserted {
                problems.append(problem)
            }
        }
        return problems
    }
}

extension Handler {
    var body: Body? {
        if let closure = node.as(ClosureExprSyntax.self) { return Body(closure) }
        return Function(node).map { Body($0) }
    }
}

extension PathProblem {
    private var deed: String {
        duty.kind == .task ? "setTaskCompleted(success:)" : "a call of `\(duty.name)`"
    }

    private var place: String {
        body.isClosure ? "the closure" : Function(body.node).map { "`\($0.title)`" } ?? "the body"
    }

    func message(in audit: RuleContext) -> String {
        switch kind {
        case .never: "the handler ends without \(deed) on any path"
        case .ends(nil): "the end of \(place) is reached without \(deed)"
        case .ends(let branch?):
            branch.words.replacing("#", with: "\(audit.line(of: branch.node))")
                + " ends without \(deed)"
        case .returns: "this `return` leaves \(place) without \(deed)"
        case .throwsOut: "an error thrown here leaves \(place) without \(deed)"
        case .twice(let first):
            "\(deed) again, after line \(audit.line(of: first)) on the same path"
        case .schedulesLate(let completed):
            "schedules the next task after completing this one at line "
                + "\(audit.line(of: completed))"
        }
    }

    /// Completes the task, without success, where the path ends.
    func completionFix(in audit: RuleContext) -> Fix? {
        guard duty.kind == .task else { return nil }
        let call = "\(duty.name).setTaskCompleted(success: false)"
        let message = "complete the task, unsuccessfully, on this path"
        switch kind {
        case .returns:
            let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
            return Fix(
                message: message,
                edits: [
                    Fix.Edit(range: start..<start, text: call + audit.separator(before: node))
                ])
        case .ends(let branch?):
            guard let statements = branch.statements, statements.position != statements.endPosition,
                let last = statements.last
            else { return nil }
            // Code after a `break` does not run.
            if last.item.is(BreakStmtSyntax.self) || last.item.is(ContinueStmtSyntax.self) {
                let start = last.positionAfterSkippingLeadingTrivia.utf8Offset
                let text = call + audit.separator(before: last)
                return Fix(
                    message: message, edits: [Fix.Edit(range: start..<start, text: text)])
            }
            let end = last.endPositionBeforeTrailingTrivia.utf8Offset
            return Fix(
                message: message,
                edits: [Fix.Edit(range: end..<end, text: audit.separator(before: last) + call)])
        default: return nil
        }
    }
}

extension RuleContext {
    /// The separator of two statements: a line break with the indentation of the existing one, or
    /// `; ` if it shares its line.
    func separator(before node: some SyntaxProtocol) -> String {
        guard let file = program.file(of: node) else { return "; " }
        let place = file.place(of: node.positionAfterSkippingLeadingTrivia)
        let before = file.line(place.line).prefix(place.column - 1)
        return before.allSatisfy(\.isWhitespace) ? "\n" + before : "; "
    }
}
