// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum SessionWithoutDelegate: Rule {
    static let id = "session-without-delegate"
    static let severity = Severity.error
    static let sentence = "A background session has a delegate, and no completion handlers."
    static let why = """
        The transfer outlives the process; closures and async calls raise an exception (Apple: \
        Downloading files in the background).
        """
    static let remedy = "pass a delegate, and start tasks without a completion handler"

    static func check(_ audit: inout RuleContext) {
        for session in BackgroundSession.all(in: audit.program) {
            let delegate = session.call.argument("delegate")
            if delegate == nil || delegate?.trimmedDescription == "nil" {
                audit.report(session.call, "this background session has no delegate")
            }
            guard let variable = session.variable else { continue }
            for call in audit.program.calls
            where call.root.id == session.call.root.id && call.receiver?.lastName == variable {
                guard let form = call.transferForm else { continue }
                audit.report(call, "\(form) of a background session")
            }
        }
    }
}

extension FunctionCallExprSyntax {
    /// The form of a transfer that a background session does not support.
    fileprivate var transferForm: String? {
        switch calleeName {
        case "dataTask", "downloadTask", "uploadTask":
            trailingClosure != nil || argument("completionHandler") != nil
                ? "a completion handler" : nil
        case "data", "download", "upload", "bytes":
            enclosing(AwaitExprSyntax.self) != nil ? "an async transfer" : nil
        default: nil
        }
    }
}
