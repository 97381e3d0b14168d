// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What code owes on every path: a task to complete, or a callback to call.
struct Duty {
    enum Kind {
        case task
        case callback
    }

    var kind: Kind
    /// What the code at hand calls it; the first is the one fix-its use.
    var names: [String]
    /// Local closures and functions that do it, by name.
    var completers: [String: Completer] = [:]
    /// Whether the expiration handler completes the task: cancelled work then need not.
    var expiryCompletes = false

    var name: String { names.first ?? "task" }

    /// The duty as a closure sees it, whose parameters may hide names.
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

    /// Whether a call is what is owed.
    func isDone(by call: FunctionCallExprSyntax) -> Bool {
        switch kind {
        case .task:
            call.calleeName == "setTaskCompleted" && (call.receiver.map(isMeant) ?? false)
        case .callback: isMeant(by: call.calledExpression)
        }
    }
}

/// A local closure or function that does what is owed.
struct Completer {
    /// Each time, and before it ends; otherwise a flag or a queue may be in between.
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

/// A way through code, as far as the duty is concerned.
struct PathState {
    enum Progress {
        case open
        case done(Syntax)
        /// Given to other code; `surely` when that was seen to do it on all of its paths.
        case handed(Syntax, surely: Bool)
    }

    var progress = Progress.open
    /// The last branch that was taken.
    var branch: Branch?

    var isOpen: Bool {
        if case .open = progress { return true }
        return false
    }

    var isDone: Bool {
        if case .done = progress { return true }
        return false
    }

    /// What tells it from other ways.
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
    /// "the `catch` at line #"; # stands for the line.
    var words: String
    /// The end of the code that runs in it, where a fix-it can add a statement.
    var statements: CodeBlockItemListSyntax?
}

/// Where the ways through a piece of code lead.
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

    /// Continues with what follows: its exits are added, its ways replace ours.
    mutating func then(_ step: (inout [PathState]) -> [Exit]) {
        exits += step(&next)
    }

    mutating func then(_ step: ([PathState]) -> Flow) {
        let flow = step(next)
        next = flow.next
        exits += flow.exits
    }

    /// Takes out the exits that `isMeant` says end here, and gives their states.
    mutating func take(_ isMeant: (Exit.Kind) -> Bool) -> [PathState] {
        let taken = exits.filter { isMeant($0.kind) }.map(\.state)
        exits.removeAll { isMeant($0.kind) }
        return taken
    }
}

extension [PathState] {
    /// Without those that say the same; more than a dozen tell a reader nothing new.
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
