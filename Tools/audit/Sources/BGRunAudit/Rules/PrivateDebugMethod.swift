// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum PrivateDebugMethod: Rule {
    static let id = "private-debug-method"
    static let severity = Severity.error
    static let sentence = "The debugger's methods stay in the debugger."
    static let why = """
        An app that ships _simulateLaunchForTaskWithIdentifier: or its sibling is rejected (Apple: \
        Starting and Terminating Tasks During Development).
        """
    static let remedy = "call them in lldb; here, `bgrun trigger` and `bgrun expire` do the same"

    static func check(_ audit: inout RuleContext) {
        let names = [
            "_simulateLaunchForTaskWithIdentifier", "_simulateExpirationForTaskWithIdentifier",
        ]
        for file in audit.program.files where names.contains(where: file.text.contains) {
            for token in file.tree.all(TokenSyntax.self) {
                guard let name = names.first(where: token.text.contains) else { continue }
                audit.report(token, "\(name) is private")
            }
        }
    }
}
