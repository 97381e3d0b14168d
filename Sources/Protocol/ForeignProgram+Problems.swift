// SPDX-License-Identifier: Apache-2.0

/// A problem of a program that is visible without loading a library.
package struct ForeignProblem: Equatable, Sendable, CustomStringConvertible {
    /// The call, from 0, and its function; 0 and empty: the program as a whole.
    package var call: Int
    var function: String
    /// The argument, from 0; nil: the call as a whole.
    package var argument: Int?
    package var message: String

    /// For people: counts from 1.
    package var description: String {
        if call == 0, function.isEmpty { return message }
        let place = argument.map { ", argument \($0 &+ 1)" } ?? ""
        return "call \(call &+ 1), \(function)\(place): \(message)"
    }
}

extension ForeignProgram {
    /// All problems of the program that are visible without loading a library, in order.
    package func problems() -> [ForeignProblem] {
        var checker = Checker()
        for (index, call) in calls.enumerated() { checker.check(call, at: index) }
        checker.checkSaves()
        checker.checkTotals(of: self)
        return checker.problems
    }
}

private struct Checker {
    var problems: [ForeignProblem] = []
    private var scope = ForeignScope()
    private var names: Set<String> = []
    private var lengths: [(name: String, place: ForeignProblem)] = []
    private var bufferBytes: UInt64 = 0
    private var inlineBytes: UInt64 = 0

    mutating func check(_ call: ForeignCall, at index: Int) {
        let place = ForeignProblem(call: index, function: call.function, message: "")
        note(place) { () throws(ForeignFailure) in try call.checkNames() }
        note(place) { () throws(ForeignFailure) in try call.checkResult() }

        scope.declareBuffers(of: call)
        for (position, argument) in call.arguments.enumerated() {
            var place = place
            place.argument = position
            checkNew(argument.name, place)
            do {
                let type = try scope.declare(argument)
                try type.checkPassable()
                try call.checkPromotion(of: type, at: position)
            } catch {
                report(error.message, place)
            }
            count(argument.value, place)
        }
        checkNew(call.result, place)
        scope.declareResult(of: call)
    }

    /// A length may be produced after its buffer, so this comes last.
    mutating func checkSaves() {
        for (name, place) in lengths {
            let scope = scope
            note(place) { () throws(ForeignFailure) in
                let type = try scope.type(named: name)
                guard type.isInteger else {
                    throw ForeignFailure("the length '\(name)' is \(type), not an integer")
                }
            }
        }
    }

    mutating func checkTotals(of program: ForeignProgram) {
        let place = ForeignProblem(call: 0, function: "", message: "")
        if program.calls.isEmpty || program.calls.count > ForeignLimits.calls {
            report("a program has 1 to \(ForeignLimits.calls) calls", place)
        }
        if bufferBytes > ForeignLimits.bufferBytes {
            report(
                "the program's buffers hold \(bufferBytes) bytes together, at most "
                    + "\(ForeignLimits.bufferBytes) are allowed", place)
        }
        if inlineBytes > ForeignLimits.inlineBytes {
            report(
                "the program spells out \(inlineBytes) bytes of strings and buffers, at most "
                    + "\(ForeignLimits.inlineBytes) are allowed; pass large ones from a file", place
            )
        }
    }

    private mutating func checkNew(_ name: String?, _ place: ForeignProblem) {
        guard let name else { return }
        if !names.insert(name).inserted { report("the name '\(name)' is taken", place) }
    }

    /// Adds up the bytes of buffers and records the names on which saving them depends.
    private mutating func count(_ value: ForeignValue, _ place: ForeignProblem) {
        switch value {
        case .string(let text): inlineBytes += UInt64(text.utf8.count)  // fits: bytes in memory
        case .inputBytes(let bytes): inlineBytes += UInt64(bytes.count)  // fits: bytes in memory
        case .outputBuffer(let capacity, let save):
            let (sum, overflow) = bufferBytes.addingReportingOverflow(capacity)
            bufferBytes = overflow ? .max : sum
            if let length = save?.length { lengths.append((length, place)) }
        case .pointerTo(let pointee): count(pointee, place)
        case .structure(let fields): for field in fields { count(field, place) }
        default: break
        }
    }

    private mutating func note(_ place: ForeignProblem, _ body: () throws(ForeignFailure) -> Void) {
        do { try body() } catch { report(error.message, place) }
    }

    private mutating func report(_ message: String, _ place: ForeignProblem) {
        var problem = place
        problem.message = message
        problems.append(problem)
    }
}

extension ForeignCall {
    fileprivate func checkNames() throws(ForeignFailure) {
        guard !library.isEmpty, !library.utf8.contains(0) else {
            throw .init("no library is named")
        }
        let isIdentifier = function.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isIdentifier, !function.isEmpty else {
            throw .init("'\(function)' is not the name of a C function")
        }
        guard arguments.count <= ForeignLimits.arguments else {
            throw .init(
                "\(arguments.count) arguments, at most \(ForeignLimits.arguments) are allowed")
        }
        guard let fixedArguments else { return }
        guard 1...max(1, arguments.count) ~= fixedArguments, !arguments.isEmpty else {
            throw .init(
                "\(fixedArguments) of \(arguments.count) arguments cannot be the fixed ones of a "
                    + "variadic function")
        }
    }

    fileprivate func checkResult() throws(ForeignFailure) {
        if returns == .void {
            if result != nil { throw .init("a void function has no result to name") }
            if success != nil { throw .init("a void function has no result to judge success by") }
            return
        }
        try returns.checkPassable()
        guard let success else { return }
        switch (returns, success) {
        case (.structure, _):
            throw .init("success cannot be judged by a struct")
        case (.pointer, .zero), (.pointer, .nonZero), (.pointer, .errno),
            (.string, .zero), (.string, .nonZero), (.string, .errno):
            return
        case (.pointer, _), (.string, _):
            throw .init("an address can only be compared with zero")
        default:
            guard let value = success.operand, let range = returns.range else { return }
            guard range.contains(value) else {
                throw .init("success compares with \(value), which does not fit \(returns)")
            }
        }
    }

    fileprivate func checkPromotion(of type: ForeignType, at position: Int) throws(ForeignFailure) {
        guard let fixedArguments, position >= fixedArguments, let promoted = type.promoted else {
            return
        }
        throw .init("\(type) in the variable part of a call is \(promoted) in C; pass \(promoted)")
    }
}

extension ForeignSuccess {
    /// The number to compare a result with.
    fileprivate var operand: Int64? {
        switch self {
        case .equals(let value), .notEquals(let value), .atLeast(let value), .lessThan(let value):
            value
        case .zero, .nonZero, .errno: nil
        }
    }
}
