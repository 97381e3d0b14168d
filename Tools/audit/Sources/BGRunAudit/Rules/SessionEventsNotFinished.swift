// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum SessionEventsNotFinished: Rule {
    static let id = "session-events-not-finished"
    static let severity = Severity.error
    static let sentence = "The completion handler of background session events is kept and called."
    static let why = """
        Without it, the system does not update the app's snapshot and gives it less time (Apple: \
        application(_:handleEventsForBackgroundURLSession:completionHandler:)).
        """
    static let remedy = "keep it, and call it in urlSessionDidFinishEvents on the main queue"

    static func check(_ audit: inout RuleContext) {
        for handler in CallbackHandler.all(in: audit.program) where handler.kind == .sessionEvents {
            let function = handler.function
            let uses = function.body.all(DeclReferenceExprSyntax.self).filter {
                $0.baseName.text == handler.callback
            }
            if uses.isEmpty {
                audit.report(
                    function.nameToken, "`\(handler.callback)` is neither kept nor called")
                continue
            }
            let isCalled = uses.contains { use in
                use.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.id
                    == ExprSyntax(use).id
            }
            // Without a session in these files, its caller is elsewhere.
            guard !isCalled, audit.hasSession, !audit.hasFinishEvents else { continue }
            audit.report(
                function.nameToken,
                "`\(handler.callback)` is kept, but urlSessionDidFinishEvents, which must call it, is missing"
            )
        }
    }
}

extension RuleContext {
    fileprivate var hasSession: Bool {
        !BackgroundSession.all(in: program).isEmpty
            || !program.functions(named: "urlSession").isEmpty
    }

    fileprivate var hasFinishEvents: Bool {
        !program.functions(named: "urlSessionDidFinishEvents").isEmpty
    }
}
