// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// An obligation of code on every path: to complete a task, or to call a callback.
struct Duty {
    enum Kind {
        case task
        case callback
    }

    var kind: Kind
    /// The names in the current code; fix-its use the first.
    var names: [String]
    /// Local closures and functions that fulfil it, by name.
    var completers: [String: Completer] = [:]
    /// Whether the expiration handler completes the task: cancelled work then need not.
    var expiryCompletes = false

    var name: String { names.first ?? "task" }

    /// The duty inside a closure, whose parameters may hide names.
    func inside(_ closure: ClosureExprSyntax) -> Duty {
        var duty = self
        for name in closure.parameterNames { duty.hide(name) }
        return duty
    }

    mutating func hide(_ name: String) {
        names.removeAll { $0 == name }
        completers[name] = nil
    }

    /// Whether the expression is the task or the callback itself.
    func isMeant(by expression: ExprSyntax) -> Bool {
        expression.name.map(names.contains) ?? false
    }

    /// Whether a call fulfils the duty.
    func isDone(by call: FunctionCallExprSyntax) -> Bool {
        switch kind {
        case .task:
            call.calleeName == "setTaskCompleted" && (call.receiver.map(isMeant) ?? false)
        case .callback: isMeant(by: call.calledExpression)
        }
    }
}

/// A local closure or function that fulfils the duty.
struct Completer {
    /// Always, and before it ends; otherwise a flag or a queue may be involved.
    var isPlain: Bool
}

/// The body of a function or of a closure.
struct Body {
    let node: Syntax
    let items: CodeBlockItemListSyntax
    let isClosure: Bool

    init(_ closure: ClosureExprSyntax) {
        node = Syntax(closure)
        items = closure.statements
        isClosure = true
    }

    init(_ function: Function) {
        node = function.node
        items = function.body.statements
        isClosure = false
    }
}

/// The state of a path through code with regard to the duty.
struct PathState {
    enum Progress {
        case open
        case done(Syntax)
        /// Passed to other code; `surely` if that code was seen to fulfil it on all paths.
        case handed(Syntax, surely: Bool)
    }

    var progress = Progress.open
    /// The last branch of the path.
    var branch: Branch?

    var isOpen: Bool {
        if case .open = progress { return true }
        return false
    }

    var isDone: Bool {
        if case .done = progress { return true }
        return false
    }

    /// The facts that distinguish it from other paths.
    fileprivate var key: [SyntaxIdentifier?] {
        switch progress {
        case .open: [nil, branch?.node.id]
        case .done(let place): [place.id]
        case .handed(let place, _): [place.id, nil, nil]
        }
    }
}

/// A branch of the control flow, for messages.
struct Branch {
    var node: Syntax
    /// "the `catch` at line #"; # is a placeholder for the line.
    var words: String
    /// The end of its code, where a fix-it can add a statement.
    var statements: CodeBlockItemListSyntax?
}

/// The results of the paths through a piece of code.
struct Flow {
    var next: [PathState]
    var exits: [Exit] = []

    struct Exit {
        enum Kind: Equatable {
            case returned
            case threw
            case broke(String?)
            case continued(String?)
            case fellThrough
        }
        var kind: Kind
        var node: Syntax
        var state: PathState
    }

    /// Continues with the next code: adds its exits, and replaces the paths.
    mutating func then(_ step: (inout [PathState]) -> [Exit]) {
        exits += step(&next)
    }

    mutating func then(_ step: ([PathState]) -> Flow) {
        let flow = step(next)
        next = flow.next
        exits += flow.exits
    }

    /// Removes the exits that `isMeant` selects, and returns their states.
    mutating func take(_ isMeant: (Exit.Kind) -> Bool) -> [PathState] {
        let taken = exits.filter { isMeant($0.kind) }.map(\.state)
        exits.removeAll { isMeant($0.kind) }
        return taken
    }
}

extension [PathState] {
    /// Without duplicates; at most a dozen, because more do not help a reader.
    var merged: [PathState] {
        var seen: Set<[SyntaxIdentifier?]> = []
        return Array(filter { seen.insert($0.key).inserted }.prefix(12))
    }

    func taking(_ branch: Branch) -> [PathState] {
        map { state in
            var state = state
            state.branch = branch
            return state
        }
    }
}
