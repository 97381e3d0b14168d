// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum FetchCompletionOnEveryPath: Rule {
    static let id = "fetch-completion-on-every-path"
    static let severity = Severity.error
    static let sentence = "A silent push's completion handler is called on every path."
    static let why = """
        It must be called within 30 seconds; otherwise fewer pushes are delivered (Apple: Pushing \
        Background Updates to Your App; WWDC20-10063).
        """
    static let remedy = "call it with .newData, .noData or .failed on this path, too"

    static func check(_ audit: inout RuleContext) {
        for problem in audit.callbackProblems {
            switch problem.kind {
            case .never, .ends, .returns, .throwsOut:
                audit.report(problem.node, problem.message(in: audit))
            case .twice, .schedulesLate: break
            }
        }
    }
}

extension RuleContext {
    /// The problems of the paths of methods with a fetch completion handler.
    var callbackProblems: [PathProblem] {
        CallbackHandler.all(in: program).filter { $0.kind != .sessionEvents }.flatMap { handler in
            let duty = Duty(kind: .callback, names: [handler.callback])
            return paths.problems(
                of: Body(handler.function), duty: duty,
                anchor: Syntax(handler.function.nameToken))
        }
    }
}
