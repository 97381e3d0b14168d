// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The use of background tasks in a program, collected once for all rules.
struct Facts {
    let program: Program
    let declared: Declared?
    private(set) var registrations: [Registration] = []
    private(set) var requests: [Request] = []
    private(set) var submissions: [FunctionCallExprSyntax] = []
    /// `.backgroundTask(.appRefresh("id")) { }`
    private(set) var sceneTasks: [SceneTask] = []
    private(set) var handlers: [Handler] = []
    let expiry: ExpirySignals

    init(program: Program, declared: Declared?) {
        self.program = program
        self.declared = declared
        expiry = ExpirySignals(program: program)
        for call in program.calls {
            if let registration = Registration(call, in: program) {
                registrations.append(registration)
            }
            if let request = Request(call, in: program) { requests.append(request) }
            if call.submitsRequest { submissions.append(call) }
            if let task = SceneTask(call, in: program) { sceneTasks.append(task) }
        }
        handlers = Handler.all(in: self)
    }

    /// The kind of an identifier, from its requests, its handlers or the manifest.
    func kind(of identifier: String?) -> TaskKind? {
        guard let identifier else { return nil }
        return requests.first { $0.identifier?.text == identifier }?.kind
            ?? declared?.kinds[identifier]
    }

    /// Whether code submits a request, directly or through its callees. A call of an unknown
    /// function counts by its name.
    func schedules(_ node: some SyntaxProtocol) -> Bool {
        program.code(reachedFrom: node).contains { code in
            code.all(FunctionCallExprSyntax.self).contains { call in
                if call.submitsRequest { return true }
                guard let name = call.calleeName?.lowercased(),
                    program.function(calledBy: call) == nil
                else { return false }
                return ["schedule", "submit", "enqueuerefresh"].contains { name.contains($0) }
                    && !name.contains("unschedule") && !name.contains("scheduledtimer")
            }
        }
    }
}

/// A call of `register(forTaskWithIdentifier:using:launchHandler:)`.
struct Registration {
    let call: FunctionCallExprSyntax
    let identifierExpression: ExprSyntax
    let identifier: StatedText?
    let queue: ExprSyntax?
    /// bgrun's `register(_:_:)`, which completes the task when its closure ends.
    let completesItself: Bool

    init?(_ call: FunctionCallExprSyntax, in program: Program) {
        let isShort = call.receiver?.trimmedDescription == "BGTaskScheduler.shared"
        guard call.calleeName == "register",
            let expression = call.argument("forTaskWithIdentifier")
                ?? (isShort ? call.arguments.first.map(\.expression) : nil)
        else { return nil }
        self.call = call
        completesItself = call.argument("forTaskWithIdentifier") == nil
        identifierExpression = expression
        identifier = program.text(of: expression)
        queue = call.argument("using")
    }

    var closure: ClosureExprSyntax? { call.closure("launchHandler") }

    var runsOnMain: Bool {
        ["DispatchQueue.main", ".main"].contains(queue?.trimmedDescription ?? "")
    }
}

/// The creation of a request: `BGAppRefreshTaskRequest(identifier:)`.
struct Request {
    let call: FunctionCallExprSyntax
    let kind: TaskKind
    let identifierExpression: ExprSyntax
    let identifier: StatedText?
    /// The variable it is assigned to.
    let variable: String?

    init?(_ call: FunctionCallExprSyntax, in program: Program) {
        guard let name = call.calledExpression.name,
            let kind = TaskKind.allCases.first(where: { $0.requestName == name }),
            let expression = call.argument("identifier")
        else { return nil }
        self.call = call
        self.kind = kind
        identifierExpression = expression
        identifier = program.text(of: expression)
        variable =
            call.parent?.parent?.as(PatternBindingSyntax.self)?
            .pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    }
}

/// `.backgroundTask(.appRefresh("id")) { }` of a scene.
struct SceneTask {
    let call: FunctionCallExprSyntax
    /// nil for a kind without a separate task, such as `.urlSession`.
    let kind: TaskKind?
    let identifierExpression: ExprSyntax?
    let identifier: StatedText?
    let closure: ClosureExprSyntax

    init?(_ call: FunctionCallExprSyntax, in program: Program) {
        guard call.calleeName == "backgroundTask",
            call.receiver != nil
                || call.calledExpression
                    .is(MemberAccessExprSyntax.self),
            let form = call.arguments.first?.expression.as(FunctionCallExprSyntax.self),
            let closure = call.closure("action")
        else { return nil }
        self.call = call
        self.closure = closure
        kind = form.calleeName == "appRefresh" ? .appRefresh : nil
        identifierExpression = kind == nil ? nil : form.arguments.first?.expression
        identifier = identifierExpression.flatMap(program.text(of:))
    }
}

extension FunctionCallExprSyntax {
    /// A call of the scheduler's `submit(_:)`, or its completion form.
    var submitsRequest: Bool {
        switch calleeName {
        case "submitTaskRequest": return true
        case "submit":
            guard let receiver = receiver?.trimmedDescription.lowercased() else { return false }
            return receiver.contains("scheduler")
        default: return false
        }
    }
}
