// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

/// Checks calls by the rules of `ForeignProgram`, and finds the value that causes each problem.
struct ProgramChecker {
    let bag: DiagnosticBag
    private var scope = ForeignScope()
    private var names: [String: SourceMark] = [:]
    private var lengths: [(name: String, span: SourceSpan, place: Place)] = []
    private var reported: Set<Place> = []

    private struct Place: Hashable {
        var call: Int
        /// Nil: the call as a whole.
        var argument: Int?
    }

    init(bag: DiagnosticBag) {
        self.bag = bag
    }

    /// The program, or nil after a report. With `preflight`, also checks its libraries.
    mutating func check(
        _ calls: [PlacedCall], _ preflight: ForeignPreflight?
    ) -> ForeignProgram? {
        for (index, call) in calls.enumerated() { check(call, at: index) }
        checkLengths()
        let program = ForeignProgram(calls: calls.map(\.call))
        let problems = program.problems()
        for problem in problems where calls.indices.contains(problem.call) {
            let place = Place(call: problem.call, argument: problem.argument)
            // Problems with a more exact place were reported above.
            if reported.contains(place) { continue }
            let call = calls[problem.call]
            let (span, remedy) = blame(problem, call)
            bag.error(.badCall, at: span, problem.message, help: remedy)
        }
        for obstacle in preflight?.obstacles(to: program) ?? [] {
            report(obstacle, to: calls[obstacle.call])
        }
        return problems.isEmpty && reported.isEmpty ? program : nil
    }

    private func report(_ obstacle: ForeignObstacle, to placed: PlacedCall) {
        let library = placed.call.library
        // A path without a file was already reported.
        if library.contains("/"), SourceFile.absence(of: library) != nil { return }
        let key = obstacle.isAboutLibrary ? "library" : "function"
        bag.error(
            obstacle.isAboutLibrary ? .badLibrary : .missingFunction,
            at: placed.keys[key] ?? placed.span, obstacle.message, help: obstacle.remedy)
    }

    private mutating func check(_ placed: PlacedCall, at index: Int) {
        let call = placed.call
        scope.declareBuffers(of: call)
        let ahead = call.arguments.filter(\.value.isBuffer).compactMap(\.name)
        for (position, argument) in call.arguments.enumerated() {
            let place = Place(call: index, argument: position)
            let placed = placed.arguments[position]
            do throws(ForeignFailure) {
                _ = try scope.declare(argument)
            } catch {
                report(error, placed.value, place, ahead)
            }
            declare(argument.name, at: placed.name, place)
            collectLengths(placed.value, place)
        }
        declare(call.result, at: placed.keys["result"], Place(call: index))
        scope.declareResult(of: call)
    }

    private mutating func declare(_ name: String?, at span: SourceSpan?, _ place: Place) {
        guard let name, let span else { return }
        if let first = names[name] {
            bag.error(
                .duplicateName, at: span, "the name \(quoted(name)) is taken",
                help: "choose another; the first is in line \(first.line)")
            reported.insert(place)
        } else {
            names[name] = span.start
        }
    }

    private mutating func collectLengths(_ placed: PlacedValue, _ place: Place) {
        if case .outputBuffer(_, let save?) = placed.value, let name = save.length,
            let span = placed.length
        {
            lengths.append((name, span, place))
        }
        for part in placed.parts { collectLengths(part, place) }
    }

    /// A length may be produced after its buffer, so this check comes last.
    private mutating func checkLengths() {
        for (name, span, place) in lengths {
            do throws(ForeignFailure) {
                let type = try scope.type(named: name)
                if type.isInteger { continue }
                bag.error(
                    .badCall, at: span, "the length \(quoted(name)) is \(type), not an integer",
                    help: "name a value that holds the number of bytes")
            } catch {
                reportUnknown(name, at: span, [])
            }
            reported.insert(place)
        }
    }

    private mutating func report(
        _ failure: ForeignFailure, _ placed: PlacedValue, _ place: Place, _ ahead: [String]
    ) {
        reported.insert(place)
        let culprit = culprit(in: placed)
        switch culprit.value {
        case .reference(let name) where isUnknown(name), .field(let name, _) where isUnknown(name),
            .addressOf(let name) where isUnknown(name),
            .lengthOf(let name, _) where isUnknown(name):
            reportUnknown(name, at: culprit.span, ahead)
        default:
            bag.error(.badCall, at: culprit.span, failure.message, help: remedy(for: culprit.value))
        }
    }

    private func remedy(for value: ForeignValue) -> String {
        switch value {
        case .lengthOf: "name a buffer, a file or a string"
        case .field: "write the position, from 0, of a field; in nested structs a list of them"
        default: "compare it with the function's declaration in its C header"
        }
    }

    private func isUnknown(_ name: String) -> Bool {
        (try? scope.type(named: name)) == nil
    }

    private func reportUnknown(_ name: String, at span: SourceSpan, _ ahead: [String]) {
        bag.error(
            .unknownName, at: span, "nothing named \(quoted(name)) comes before",
            help: bag.remedy(for: name, among: (names.keys + ahead).sorted())
                ?? "give an argument `name: \(name)`, or a call `result: \(name)`")
    }

    /// The innermost part that cannot be passed.
    private func culprit(in placed: PlacedValue) -> PlacedValue {
        for part in placed.parts where (try? scope.type(of: part.value)) == nil {
            return culprit(in: part)
        }
        return placed
    }

    /// The key that causes the problem, else the whole; and the remedy.
    private func blame(
        _ problem: ForeignProblem, _ placed: PlacedCall
    ) -> (SourceSpan, remedy: String) {
        if let argument = problem.argument {
            return (
                placed.arguments[argument].value.span,
                "pass what the C function takes there; after `fixed_args`, C knows only i32 and "
                    + "wider, and f64"
            )
        }
        for key in ["result", "success", "fixed_args", "returns"] {
            guard let span = placed.keys[key] else { continue }
            var call = placed.call
            switch key {
            case "result": call.result = nil
            case "success": call.success = nil
            case "fixed_args": call.fixedArguments = nil
            default: (call.returns, call.result, call.success) = (.void, nil, nil)
            }
            let rest = ForeignProgram(calls: [call]).problems()
            if rest.contains(where: { $0.message == problem.message }) { continue }
            let isVoid = placed.call.returns == .void
            return (
                span,
                isVoid
                    ? "add what the function `returns`, or drop `\(key)`"
                    : "write a `\(key)` that fits what the function returns"
            )
        }
        return (placed.span, "make the program smaller, or split it into several tasks")
    }
}

/// A call with the places of its parts.
struct PlacedCall {
    var call: ForeignCall
    var span: SourceSpan
    var arguments: [PlacedArgument]
    /// The places of the values of its keys.
    var keys: [String: SourceSpan]
}

struct PlacedArgument {
    /// The place of its name.
    var name: SourceSpan?
    var value: PlacedValue
}

struct PlacedValue {
    var value: ForeignValue
    var span: SourceSpan
    /// The value it points to, or its fields.
    var parts: [PlacedValue] = []
    /// The place of the name of a saved buffer's length.
    var length: SourceSpan?
}
