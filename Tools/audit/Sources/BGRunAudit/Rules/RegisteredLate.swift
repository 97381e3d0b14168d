// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

enum RegisteredLate: Rule {
    static let id = "registered-late"
    static let severity = Severity.error
    static let sentence = "Handlers are registered before the app has finished launching."
    static let why = """
        Registering later ends the app, unless the task is continued (Apple: BGTaskScheduler.h; \
        WWDC25-227).
        """
    static let remedy = """
        register in application(_:didFinishLaunchingWithOptions:), before it returns, or in the \
        initializer of the App
        """

    static func check(_ audit: inout RuleContext) {
        for registration in audit.facts.registrations where !audit.isContinued(registration) {
            var seen: Set<SyntaxIdentifier> = []
            guard let late = audit.lateness(of: Syntax(registration.call), &seen) else { continue }
            audit.report(registration.call, "registered in \(late), after the launch")
        }
    }
}

extension RuleContext {
    fileprivate func isContinued(_ registration: Registration) -> Bool {
        facts.kind(of: registration.identifier?.text) == .continued
            || facts.handlers.contains {
                $0.registration?.call.id == registration.call.id && $0.kind == .continued
            }
    }

    /// The evidence that a node runs after the launch; nil without any.
    fileprivate func lateness(of node: Syntax, _ seen: inout Set<SyntaxIdentifier>) -> String? {
        var current = node
        while let parent = current.parent {
            if let closure = current.as(ClosureExprSyntax.self), let late = closure.lateCaller {
                return "the closure of `\(late)`"
            }
            if let variable = current.as(VariableDeclSyntax.self),
                variable.bindings.first?.pattern.trimmedDescription == "body"
            {
                return "`body`"
            }
            if let function = Function(current) {
                if function.isLateByName { return "`\(function.title)`" }
                return latenessOfCallers(of: function, &seen)
            }
            current = parent
        }
        return nil
    }

    /// A function is late if all of its callers are.
    private func latenessOfCallers(
        of function: Function, _ seen: inout Set<SyntaxIdentifier>
    ) -> String? {
        guard seen.insert(function.node.id).inserted else { return nil }
        let calls = program.calls(named: function.name).filter { call in
            program.function(calledBy: call)?.node.id == function.node.id
        }
        guard !calls.isEmpty else { return program.actionOfAPerson(function) }
        var late: String?
        for call in calls {
            guard let found = lateness(of: Syntax(call), &seen) else { return nil }
            late = late ?? found
        }
        return late.map { "`\(function.title)`, called in \($0)" }
    }
}

extension Program {
    /// The evidence that a function without a caller runs in response to a user action: it is passed to
    /// a control, or named after one (`exportButtonTapped`).
    fileprivate func actionOfAPerson(_ function: Function) -> String? {
        let givesAction = ["Button", "addTarget", "UIAction", "UIBarButtonItem", "addAction"]
        let isGiven = givesAction.flatMap(calls(named:)).contains { call in
            call.inputs.contains { input in
                let selector = input.value.bare.as(MacroExpansionExprSyntax.self)?
                    .arguments.first?.expression
                return (selector ?? input.value).lastName == function.name
            }
        }
        guard isGiven || function.isActionByName else { return nil }
        return "`\(function.title)`, which a person calls"
    }
}

extension Function {
    fileprivate var isActionByName: Bool {
        let name = name.lowercased()
        return ["tapped", "pressed", "clicked", "buttonaction"].contains(where: name.hasSuffix)
            || ["didtap", "didpress", "didclick", "ontap", "handletap"].contains(
                where: name.hasPrefix)
    }

    fileprivate var isLateByName: Bool {
        let names: Set<String> = [
            "viewDidLoad", "viewWillAppear", "viewDidAppear", "viewIsAppearing", "awakeFromNib",
            "applicationDidEnterBackground", "applicationDidBecomeActive",
            "applicationWillEnterForeground", "applicationWillResignActive",
            "sceneDidEnterBackground", "sceneDidBecomeActive", "sceneWillEnterForeground",
            "sceneWillResignActive",
        ]
        let attributes = node.as(FunctionDeclSyntax.self)?.attributes.trimmedDescription ?? ""
        return names.contains(name) || attributes.contains("@IBAction")
            || name == "scene" && parameters.contains { $0.label == "willConnectTo" }
    }
}

extension ClosureExprSyntax {
    /// The call that runs this closure later, or at a user action.
    fileprivate var lateCaller: String? {
        guard let call = enclosing(FunctionCallExprSyntax.self), let name = call.calleeName,
            !call.calledExpression.contains(self)
        else { return nil }
        let late: Set<String> = [
            "Task", "detached", "async", "asyncAfter", "onAppear", "task", "onChange",
            "onReceive", "onTapGesture", "Button", "refreshable", "addAction", "UIAction",
            "scheduledTimer", "addOperation", "addObserver", "requestAuthorization",
        ]
        return late.contains(name) ? name : nil
    }
}
