// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension PathWalker {
    func walk(_ node: IfExprSyntax, _ states: [PathState]) -> Flow {
        var flow = evaluate(node.conditions, states)
        let entry = flow.next
        var held = walk(
            node.body.statements,
            entry.taking(Branch(Syntax(node.ifKeyword), "the `if` at line #", node.body.statements))
        )
        if excuses(node.conditions, being: true) { forgiveReturns(&held) }
        var failed: Flow
        switch node.elseBody {
        case .ifExpr(let next)?: failed = walk(next, entry)
        case .codeBlock(let block)?:
            let keyword = node.elseKeyword.map { Syntax($0) } ?? Syntax(node)
            failed = walk(
                block.statements,
                entry.taking(Branch(keyword, "the `else` at line #", block.statements)))
        case nil:
            let branch = Branch(
                Syntax(node.ifKeyword), "the path on which the `if` at line # does not hold", nil)
            failed = Flow(next: entry.taking(branch))
        }
        if excuses(node.conditions, being: false) { forgiveReturns(&failed) }
        if isOnlyCast(node.conditions) { forgive(&failed) }
        flow.next = settled([held, failed], from: entry)
        flow.exits += held.exits + failed.exits
        return flow
    }

    func walk(_ node: GuardStmtSyntax, _ states: [PathState]) -> Flow {
        var flow = evaluate(node.conditions, states)
        let branch = Branch(Syntax(node.elseKeyword), "the `else` at line #", node.body.statements)
        var failed = walk(node.body.statements, flow.next.taking(branch))
        if excuses(node.conditions, being: false) || isOnlyCast(node.conditions) {
            forgiveReturns(&failed)
        }
        flow.exits += failed.exits
        return flow
    }

    func walk(_ node: SwitchExprSyntax, _ states: [PathState]) -> Flow {
        var flow = evaluate(node.subject, states)
        let entry = flow.next
        var ways: [Flow] = []
        var falling: [PathState] = []
        for element in node.cases {
            guard let one = element.as(SwitchCaseSyntax.self) else { continue }
            let label = one.label.trimmedDescription
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let branch = Branch(
                Syntax(one.label), "the `\(label.dropLast())` at line #", one.statements)
            var way = walk(one.statements, entry.taking(branch) + falling)
            falling = way.take { $0 == .fellThrough }
            way.next += way.take { $0 == .broke(nil) }
            ways.append(way)
        }
        flow.next = settled(ways, from: entry)
        flow.exits += ways.flatMap(\.exits)
        return flow
    }

    func walk(_ node: DoStmtSyntax, _ states: [PathState]) -> Flow {
        var flow = walk(node.body.statements, states)
        guard !node.catchClauses.isEmpty else { return flow }
        let hasTry = flow.exits.contains { $0.kind == .threw }
        let failed = hasTry ? flow.exits.filter { $0.kind == .threw } : []
        var thrown = flow.take { $0 == .threw }.merged
        // The source of errors is hidden, as in a macro: assumes them everywhere.
        if !hasTry { thrown = states }
        var isExhaustive = false
        var ways: [Flow] = []
        for clause in node.catchClauses {
            let branch = Branch(
                Syntax(clause.catchKeyword), "the `catch` at line #", clause.body.statements)
            var way = walk(clause.body.statements, thrown.taking(branch))
            if duty.expiryCompletes, clause.catchesCancellation { forgive(&way) }
            ways.append(way)
            isExhaustive = isExhaustive || clause.catchesEverything
        }
        flow.exits += ways.flatMap(\.exits)
        if !isExhaustive { flow.exits += failed }
        flow.next = (flow.next + ways.flatMap(\.next)).merged
        return flow
    }

    func walk(_ node: IfConfigDeclSyntax, _ states: [PathState]) -> Flow {
        var ways: [Flow] = []
        var isComplete = false
        for clause in node.clauses {
            isComplete = isComplete || clause.condition == nil
            if case .statements(let items)? = clause.elements {
                ways.append(walk(items, states))
            } else {
                ways.append(Flow(next: states))
            }
        }
        if !isComplete {
            let branch = Branch(
                Syntax(node), "the build in which the `#if` at line # does not hold", nil)
            ways.append(Flow(next: states.taking(branch)))
        }
        return Flow(next: settled(ways, from: states), exits: ways.flatMap(\.exits))
    }

    // MARK: loops

    func walk(_ node: ForStmtSyntax, _ states: [PathState], _ label: String?) -> Flow {
        var flow = evaluate(node.sequence, states)
        if node.tryKeyword != nil {
            flow.exits += flow.next.map {
                Flow.Exit(kind: .threw, node: Syntax(node.forKeyword), state: $0)
            }
        }
        return loop(flow, over: node.body.statements, label, Syntax(node.forKeyword))
    }

    func walk(_ node: WhileStmtSyntax, _ states: [PathState], _ label: String?) -> Flow {
        let flow = evaluate(node.conditions, states)
        return loop(
            flow, over: node.body.statements, label, Syntax(node.whileKeyword),
            isEndless: node.conditions.trimmedDescription == "true")
    }

    func walk(_ node: RepeatStmtSyntax, _ states: [PathState], _ label: String?) -> Flow {
        var flow = Flow(next: states)
        var first = walk(node.body.statements, states)
        let ended = first.take { $0.ends(label) }
        first.next += first.take { $0.continues(label) }
        flow.exits += first.exits
        flow.next = (first.next + ended).merged
        flow.then { evaluate(node.condition, $0) }
        return flow
    }

    /// Zero passes, one, and a second one, which sees the results of the first.
    private func loop(
        _ before: Flow, over items: CodeBlockItemListSyntax, _ label: String?, _ node: Syntax,
        isEndless: Bool = false
    ) -> Flow {
        var flow = before
        let branch = Branch(node, "the path on which the loop at line # has nothing to do", nil)
        var after = isEndless ? [] : before.next.taking(branch)
        var entry = before.next
        for _ in 1...2 {
            var turn = walk(items, entry)
            after += turn.take { $0.ends(label) }
            turn.next += turn.take { $0.continues(label) }
            flow.exits += turn.exits
            if !isEndless { after += turn.next }
            entry = turn.next.merged
        }
        flow.next = settled([Flow(next: after)], from: before.next)
        return flow
    }

    // MARK: joining

    /// The paths after a choice. If no branch did anything, keeps the state before it, so that
    /// messages do not blame the choice.
    private func settled(_ ways: [Flow], from entry: [PathState]) -> [PathState] {
        let next = ways.flatMap(\.next)
        let exits = ways.flatMap(\.exits)
        let didNothing = next.allSatisfy(\.isOpen) && exits.allSatisfy(\.state.isOpen)
        if didNothing { return next.isEmpty ? [] : entry.filter(\.isOpen) }
        return next.merged
    }

    /// Treats the duty as fulfilled on these returns.
    private func forgiveReturns(_ flow: inout Flow) {
        for index in flow.exits.indices
        where flow.exits[index].kind == .returned && flow.exits[index].state.isOpen {
            let node = flow.exits[index].node
            flow.exits[index].state.progress = .handed(node, surely: false)
        }
    }

    private func forgive(_ flow: inout Flow) {
        forgiveReturns(&flow)
        flow.next = flow.next.map { state in
            guard state.isOpen, let branch = state.branch else { return state }
            return PathState(progress: .handed(branch.node, surely: false), branch: branch)
        }
    }
}

extension Branch {
    fileprivate init(_ node: Syntax, _ words: String, _ statements: CodeBlockItemListSyntax?) {
        self.init(node: node, words: words, statements: statements)
    }
}

extension Flow.Exit.Kind {
    /// Whether the label refers to a loop that ends here.
    fileprivate func ends(_ label: String?) -> Bool {
        self == .broke(nil) || label != nil && self == .broke(label)
    }

    fileprivate func continues(_ label: String?) -> Bool {
        self == .continued(nil) || label != nil && self == .continued(label)
    }
}

extension CatchClauseSyntax {
    fileprivate var catchesEverything: Bool {
        catchItems.isEmpty
            || catchItems.contains { item in
                item.whereClause == nil
                    && item.pattern?.as(ValueBindingPatternSyntax.self)?
                        .pattern.is(IdentifierPatternSyntax.self) ?? false
            }
    }

    fileprivate var catchesCancellation: Bool {
        catchItems.trimmedDescription.contains("CancellationError")
            || catchItems.trimmedDescription.contains("cancelled")
    }
}
