// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum BlockingWork: Rule {
    static let id = "blocking-work"
    static let severity = Severity.warning
    static let sentence = "A handler does not block its thread."
    static let why = """
        Waiting uses up the time, and blocks the expiration handler on the main queue (Apple: \
        BGTaskScheduler.register; WWDC20-10063).
        """
    static let remedy = "use async functions, operations or callbacks"

    static func check(_ audit: inout RuleContext) {
        var seen: Set<SyntaxIdentifier> = []
        for handler in audit.facts.handlers {
            for code in audit.program.code(reachedFrom: handler.node) {
                for call in code.all(FunctionCallExprSyntax.self) {
                    guard let what = call.blocks, seen.insert(call.id).inserted else { continue }
                    audit.report(call, "\(what) blocks the thread")
                }
            }
        }
    }
}

extension FunctionCallExprSyntax {
    /// The blocking part of this call; nil if none is known.
    fileprivate var blocks: String? {
        let base = receiver?.trimmedDescription ?? ""
        let last = receiver?.lastName?.lowercased() ?? ""
        switch calleeName {
        case "sleep", "usleep", "nanosleep":
            // Task.sleep suspends without blocking.
            return base.isEmpty || base == "Thread" ? "`\(calledExpression.words)`" : nil
        case "wait" where parent?.is(AwaitExprSyntax.self) ?? false: return nil
        case "wait" where last.contains("group") || last.contains("sema"):
            return "`\(calledExpression.words)`"
        case "sync" where base == "DispatchQueue.main": return "`DispatchQueue.main.sync`"
        case "run" where base.hasPrefix("RunLoop"): return "`\(calledExpression.words)`"
        case "waitUntilAllOperationsAreFinished": return "`waitUntilAllOperationsAreFinished`"
        case "addOperations"
        where argument("waitUntilFinished")?.trimmedDescription == "true":
            return "`waitUntilFinished: true`"
        case "Data", "String":
            let url = argument("contentsOf")?.bare.as(FunctionCallExprSyntax.self)
            let isRemote = url?.calleeName == "URL" && url?.argument("string") != nil
            return isRemote ? "`\(calleeName ?? "")(contentsOf:)` of a remote URL" : nil
        default: return nil
        }
    }
}
