// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum DownloadNotMoved: Rule {
    static let id = "download-not-moved"
    static let severity = Severity.error
    static let sentence = "A finished download is moved before its delegate method returns."
    static let why = """
        The temporary file is deleted when the method returns (Apple: URLSessionDownloadDelegate).
        """
    static let remedy = "move, copy or read the file in the method itself, then continue elsewhere"

    static func check(_ audit: inout RuleContext) {
        for function in audit.program.functions(named: "urlSession") {
            let label = "didFinishDownloadingTo"
            guard let location = function.parameters.first(where: { $0.label == label })?.name
            else { continue }
            let uses = function.body.all(DeclReferenceExprSyntax.self).filter {
                $0.baseName.text == location
            }
            if uses.isEmpty {
                audit.report(
                    function.nameToken, "the downloaded file at `\(location)` is not looked at")
            } else if let first = uses.first, uses.allSatisfy({ $0.runsLater(in: function) }) {
                audit.report(first, "`\(location)` is used after the method has returned")
            }
        }
    }
}

extension DeclReferenceExprSyntax {
    /// Whether it is in a closure that runs after the function has returned.
    fileprivate func runsLater(in function: Function) -> Bool {
        var node = parent
        while let current = node, current.id != function.node.id {
            if let closure = current.as(ClosureExprSyntax.self),
                let name = closure.enclosing(FunctionCallExprSyntax.self)?.calleeName,
                ["Task", "detached", "async", "asyncAfter", "addOperation", "perform"]
                    .contains(name)
            {
                return true
            }
            node = current.parent
        }
        return false
    }
}
