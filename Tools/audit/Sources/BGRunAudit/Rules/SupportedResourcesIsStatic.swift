// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum SupportedResourcesIsStatic: Rule {
    static let id = "supported-resources-is-static"
    static let severity = Severity.error
    static let sentence = "supportedResources is read from the class."
    static let why = """
        BGTaskScheduler.shared does not have it (Apple: BGTaskScheduler.supportedResources).
        """
    static let remedy = "write BGTaskScheduler.supportedResources"

    static func check(_ audit: inout RuleContext) {
        for member in audit.program.members
        where member.declName.baseName.text == "supportedResources" {
            guard let base = member.base, base.trimmedDescription == "BGTaskScheduler.shared"
            else { continue }
            audit.report(
                member, "`shared` has no supportedResources, the class has",
                fix: Fix.replacing(base, with: "BGTaskScheduler", "ask the class"))
        }
    }
}
