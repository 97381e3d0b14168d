// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension PathWalker {
    func evaluate(_ call: FunctionCallExprSyntax, _ states: [PathState]) -> Flow {
        var flow = Flow(next: states)
        if let receiver = call.receiver { flow.then { evaluate(receiver, $0) } }
        let name = call.calleeName ?? ""
        if Self.endings.contains(name), call.receiver == nil {
            flow.next = []
            return flow
        }
        if duty.isDone(by: call) {
            for input in call.inputs { flow.then { evaluate(input.value, $0) } }
            flow.next = done(flow.next, at: Syntax(call))
            return flow
        }
        if duty.kind == .task, paths.schedules(call) {
            noteLateScheduling(flow.next, by: call)
        }
        if let completer = duty.completers[name], call.receiver?.name ?? "self" == "self" {
            flow.next =
                completer.isPlain
                ? done(flow.next, at: Syntax(call))
                : handed(flow.next, at: Syntax(call), surely: false)
            return flow
        }
        // bgrun's own function: completes on every path, and when it is cancelled.
        if name == "withBackgroundTask", call.inputs.contains(where: { duty.isMeant(by: $0.value) })
        {
            flow.next = done(flow.next, at: Syntax(call))
            throwsDone = true
            return flow
        }
        flow.then { give(call.inputs, to: call, $0) }
        return flow
    }

    /// These do not return.
    private static let endings: Set<String> = [
        "fatalError", "preconditionFailure", "exit", "abort",
    ]

    /// These read their arguments, and keep none of them.
    private static let lookers: Set<String> = [
        "print", "debugPrint", "dump", "NSLog", "os_log", "log", "info", "debug", "notice",
        "warning", "error", "fault", "trace", "assert", "precondition", "type", "String",
        "ObjectIdentifier", "assertionFailure",
    ]

    /// These run their closure before they return, any number of times.
    private static let repeatedly: Set<String> = [
        "forEach", "map", "compactMap", "flatMap", "filter", "reduce", "sorted", "contains",
        "first", "allSatisfy",
    ]

    private func give(
        _ inputs: [CallInput], to call: FunctionCallExprSyntax, _ states: [PathState]
    ) -> Flow {
        var flow = Flow(next: states)
        let name = call.calleeName ?? ""
        var given: [Gift] = []
        for (position, input) in inputs.enumerated() {
            if let label = input.label, label.isAboutInterruption { continue }
            if let closure = input.value.bare.as(ClosureExprSyntax.self) {
                if call.runsClosureOnce || Self.repeatedly.contains(name) {
                    flow.then { inline(closure, in: name, $0) }
                } else {
                    given.append(Gift(input: input, position: position, closure: closure))
                }
            } else if duty.isMeant(by: input.value)
                || input.value.name.map({ duty.completers[$0] != nil }) ?? false
            {
                given.append(Gift(input: input, position: position, closure: nil))
            } else {
                flow.then { evaluate(input.value, $0) }
            }
        }
        flow.next = taken(given, by: call, flow.next)
        return flow
    }

    /// An argument of a call that may fulfil the duty.
    private struct Gift {
        var input: CallInput
        var position: Int
        /// nil for the task itself, or for a completer by name.
        var closure: ClosureExprSyntax?
    }

    private func taken(
        _ gifts: [Gift], by call: FunctionCallExprSyntax, _ states: [PathState]
    ) -> [PathState] {
        let closures = gifts.compactMap { gift in
            gift.closure.map { (gift, paths.summary(of: Body($0), duty: duty.inside($0))) }
        }
        for (_, found) in closures { summary.idle += found.idle }
        let completing = closures.filter { $0.1.discharges }
        // One for success, another for failure: it is unknown which of them runs.
        let isShared = completing.count > 1 || call.chainHasOtherCompleter(for: duty)
        var states = states
        for (gift, found) in completing {
            if !isShared { summary.problems += found.problems }
            states = taken(
                gift, by: call, callbackIsSure: found.isSure && !isShared, states)
        }
        for gift in gifts where gift.closure == nil {
            states = taken(gift, by: call, callbackIsSure: false, states)
        }
        return states
    }

    private func taken(
        _ gift: Gift, by call: FunctionCallExprSyntax, callbackIsSure: Bool,
        _ states: [PathState]
    ) -> [PathState] {
        let place = Syntax(call)
        guard let function = paths.facts.program.function(calledBy: call),
            let parameter = function.parameter(for: gift.input, at: gift.position)
        else {
            if gift.closure == nil, Self.lookers.contains(call.calleeName ?? "") { return states }
            return handed(states, at: place, surely: callbackIsSure)
        }
        let isTask = gift.closure == nil && duty.isMeant(by: gift.input.value)
        let owed = Duty(
            kind: isTask ? duty.kind : .callback, names: [parameter.name],
            expiryCompletes: duty.expiryCompletes)
        let found = paths.summary(of: Body(function), duty: owed)
        guard found.discharges else {
            summary.idle += [function] + found.idle
            return states
        }
        summary.problems += found.problems
        throwsDone = !found.throwsOpen
        if gift.closure == nil, isTask, found.isImmediate {
            return done(states, at: place)
        }
        return handed(states, at: place, surely: found.isSure && (isTask || callbackIsSure))
    }

    /// The body of a closure that runs immediately.
    private func inline(
        _ closure: ClosureExprSyntax, in name: String, _ states: [PathState]
    ) -> Flow {
        let outer = duty
        defer { duty = outer }
        duty = duty.inside(closure)
        var flow = walk(closure.statements, states)
        flow.next += flow.take { $0 == .returned }
        if Self.repeatedly.contains(name) { flow.next += states }
        flow.next = flow.next.merged
        return flow
    }

    private func noteLateScheduling(_ states: [PathState], by call: FunctionCallExprSyntax) {
        for state in states {
            guard case .done(let place) = state.progress else { continue }
            return report(.schedulesLate(completed: place), Syntax(call))
        }
    }
}

extension FunctionCallExprSyntax {
    /// Whether a call earlier in this chain, as in `.onSuccess { }.onFailure { }`, has a closure
    /// that completes, too.
    fileprivate func chainHasOtherCompleter(for duty: Duty) -> Bool {
        var outermost = ExprSyntax(self)
        while let member = outermost.parent?.as(MemberAccessExprSyntax.self),
            let call = member.parent?.as(FunctionCallExprSyntax.self)
        {
            outermost = ExprSyntax(call)
        }
        var count = 0
        var current = outermost.as(FunctionCallExprSyntax.self)
        while let call = current {
            count += call.inputs.count { input in
                input.value.as(ClosureExprSyntax.self)?.all(FunctionCallExprSyntax.self)
                    .contains { duty.isDone(by: $0) } ?? false
            }
            current = call.receiver?.bare.as(FunctionCallExprSyntax.self)
        }
        return count > 1
    }
}

extension FunctionCallExprSyntax {
    /// Whether it runs its closure exactly once before it returns.
    var runsClosureOnce: Bool { calleeName.map(runningOnce.contains) ?? false }
}

private let runningOnce: Set<String> = [
    "autoreleasepool", "sync", "withLock", "performAndWait", "withTaskGroup",
    "withThrowingTaskGroup", "withDiscardingTaskGroup", "withThrowingDiscardingTaskGroup",
    "withTaskCancellationHandler", "withCheckedContinuation", "withCheckedThrowingContinuation",
    "withUnsafeContinuation", "withExtendedLifetime", "assumeIsolated",
]
