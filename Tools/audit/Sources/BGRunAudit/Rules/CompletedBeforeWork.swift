// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum CompletedBeforeWork: Rule {
    static let id = "completed-before-work"
    static let severity = Severity.warning
    static let sentence = "A task is completed when its work is over."
    static let why = """
        The app may be suspended after the completion (Apple: BGTask.setTaskCompleted(success:)).
        """
    static let remedy = "complete the task where the work ends, or await the work first"

    static func check(_ audit: inout RuleContext) {
        var seen: Set<SyntaxIdentifier> = []
        for handler in audit.facts.handlers where handler.task != nil {
            for code in audit.program.code(reachedFrom: handler.node) {
                for items in code.all(CodeBlockItemListSyntax.self) {
                    guard let (start, completion) = items.workLeftBehind,
                        seen.insert(completion.id).inserted
                    else { continue }
                    audit.report(
                        completion,
                        "completes the task before the work begun in line \(audit.line(of: start)) has finished",
                        notes: [(Syntax(start), "begins here")])
                }
            }
        }
    }
}

extension CodeBlockItemListSyntax {
    /// A statement that starts work, and the later one that completes the task without waiting.
    fileprivate var workLeftBehind: (CodeBlockItemSyntax, CodeBlockItemSyntax)? {
        var start: CodeBlockItemSyntax?
        for item in self {
            if let begun = start, let task = item.completedTask {
                // Another rule checks work that gets the task.
                return begun.mentions(task) ? nil : (begun, item)
            }
            if item.waits {
                start = nil
            } else if start == nil, item.beginsWorkAlone {
                start = item
            }
        }
        return nil
    }
}

extension CodeBlockItemSyntax {
    private var call: FunctionCallExprSyntax? {
        guard case .expr(let expression) = item else { return nil }
        return expression.bare.as(FunctionCallExprSyntax.self)
    }

    /// `task` if the statement is `task.setTaskCompleted(success:)`.
    fileprivate var completedTask: String? {
        call?.calleeName == "setTaskCompleted" ? call?.receiver?.name : nil
    }

    fileprivate func mentions(_ name: String) -> Bool {
        all(DeclReferenceExprSyntax.self).contains { $0.baseName.text == name }
    }

    /// Whether this code may wait.
    fileprivate var waits: Bool {
        if beginsWorkAlone { return false }
        let isAwaiting = all(AwaitExprSyntax.self).contains { $0.isOutsideClosures(of: self) }
        return isAwaiting
            || all(FunctionCallExprSyntax.self).contains { call in
                let name = call.calleeName?.lowercased() ?? ""
                return name.contains("wait") || name == "sync" || name == "notify"
            }
    }

    /// Whether the statement starts work without a reference to it, which does not complete the
    /// task.
    fileprivate var beginsWorkAlone: Bool {
        guard let call, !all(TokenSyntax.self).contains(where: { $0.text == "setTaskCompleted" })
        else { return false }
        switch call.calleeName {
        case "Task", "detached":
            return call.trailingClosure?.all(AwaitExprSyntax.self).isEmpty == false
        case "async":
            return call.receiver?.trimmedDescription != "DispatchQueue.main"
                && call.trailingClosure?.workingCalls.isEmpty == false
        case "resume":
            let transfer = call.receiver?.as(FunctionCallExprSyntax.self)
            return ["dataTask", "downloadTask", "uploadTask"].contains(transfer?.calleeName)
                && transfer?.trailingClosure != nil
        default: return false
        }
    }
}

extension SyntaxProtocol {
    /// Whether there is no closure between this node and `outer`.
    fileprivate func isOutsideClosures(of outer: some SyntaxProtocol) -> Bool {
        var node = parent
        while let current = node, current.id != outer.id {
            if current.is(ClosureExprSyntax.self) { return false }
            node = current.parent
        }
        return true
    }
}
