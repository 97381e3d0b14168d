// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum StrongSelf: Rule {
    static let id = "strong-self"
    static let severity = Severity.warning
    static let sentence = "A launch handler does not retain a short-lived object."
    static let why = """
        The scheduler keeps the handler, and every object it captures, until the process ends.
        """
    static let remedy = "capture [weak self], and complete the task when it is gone"

    static func check(_ audit: inout RuleContext) {
        for registration in audit.facts.registrations {
            guard let closure = registration.closure, let type = audit.shortLivedClass(of: closure)
            else { continue }
            let captures = closure.signature?.capture?.items.trimmedDescription ?? ""
            let isStrong = closure.statements.all(DeclReferenceExprSyntax.self).contains {
                $0.baseName.tokenKind == .keyword(.self)
            }
            guard isStrong, !captures.contains("weak self"), !captures.contains("unowned self")
            else { continue }
            audit.report(closure, "the handler keeps this `\(type)` alive")
        }
    }
}

extension RuleContext {
    /// The class around a node, if its objects are short-lived.
    fileprivate func shortLivedClass(of node: some SyntaxProtocol) -> String? {
        guard let type = node.enclosing(ClassDeclSyntax.self) else { return nil }
        let parents = type.inheritanceClause?.inheritedTypes.trimmedDescription ?? ""
        let name = type.name.text
        let isShared = type.memberBlock.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { return false }
            return variable.modifiers.contains { $0.name.text == "static" }
                && (variable.bindings.first?.initializer?.value.words.hasPrefix(name) ?? false)
                || variable.modifiers.contains { $0.name.text == "static" }
                    && variable.bindings.first?.typeAnnotation?.type.trimmedDescription == name
        }
        let isOfTheScreen =
            name.hasSuffix("ViewController") || name.hasSuffix("ViewModel")
            || parents.contains("ViewController") || parents.contains("ObservableObject")
        return isOfTheScreen && !isShared ? name : nil
    }
}
