// SPDX-License-Identifier: Apache-2.0

/// The meaning of names at one place of a program, and the resulting C types.
///
/// The checker and the interpreter both use it, so they cannot disagree.
package struct ForeignScope: Sendable {
    private var meanings: [String: (type: ForeignType, isBuffer: Bool)] = [:]

    package init() {}

    /// Declares a call's buffers and strings; comes before its arguments, because a length may be
    /// passed before its buffer.
    package mutating func declareBuffers(of call: ForeignCall) {
        for argument in call.arguments {
            guard let name = argument.name, argument.value.isBuffer else { continue }
            meanings[name] = (type: ForeignType.pointer, isBuffer: true)
        }
    }

    /// Declares an argument for the arguments after it and for later calls; returns the C type as
    /// which it is passed.
    package mutating func declare(
        _ argument: ForeignArgument
    ) throws(ForeignFailure) -> ForeignType {
        let type = try type(of: argument.value)
        guard let name = argument.name, !argument.value.isBuffer else { return type }
        if case .pointerTo(let pointee) = argument.value {
            meanings[name] = (type: try self.type(of: pointee), isBuffer: false)
        } else {
            meanings[name] = (type: type, isBuffer: false)
        }
        return type
    }

    /// Declares a call's result for later calls.
    package mutating func declareResult(of call: ForeignCall) {
        guard let name = call.result else { return }
        meanings[name] = (type: call.returns, isBuffer: false)
    }

    /// The C type of a name.
    package func type(named name: String) throws(ForeignFailure) -> ForeignType {
        try meaning(of: name).type
    }

    /// The C type as which `value` is passed; throws if it cannot be passed.
    package func type(of value: ForeignValue) throws(ForeignFailure) -> ForeignType {
        switch value {
        case .integer(let type, let integer):
            guard let range = type.range else { throw .init("\(type) is not an integer type") }
            guard range.contains(integer) else { throw .init("\(integer) does not fit \(type)") }
            return type
        case .real(let type, _):
            guard type == .f32 || type == .f64 else { throw .init("\(type) is not f32 or f64") }
            return type
        case .string(let text):
            guard !text.utf8.contains(0) else {
                throw .init("a string contains NUL, where C would end it; pass bytes instead")
            }
            return .string
        case .null, .inputBytes: return .pointer
        case .inputFile(let path):
            try path.checkPath()
            return .pointer
        case .outputBuffer(let capacity, let save):
            guard capacity > 0 else { throw .init("an output buffer has no room: capacity 0") }
            try save?.path.checkPath()
            return .pointer
        case .pointerTo(let pointee):
            _ = try type(of: pointee)
            return .pointer
        case .structure(let fields):
            var types: [ForeignType] = []
            for field in fields { types.append(try type(of: field)) }
            let type = ForeignType.structure(types)
            try type.checkPassable()
            return type
        case .reference(let name): return try type(named: name)
        case .addressOf(let name):
            _ = try meaning(of: name)
            return .pointer
        case .field(let name, let path): return try type(of: path, in: name)
        case .lengthOf(let name, let type):
            guard type.isInteger else { throw .init("a length cannot be passed as \(type)") }
            let meaning = try meaning(of: name)
            guard meaning.isBuffer || meaning.type == .string else {
                throw .init("'\(name)' is \(meaning.type): it has no length")
            }
            return type
        case .callback(let callback):
            try callback.check()
            return .pointer
        }
    }

    private func type(of path: [Int], in name: String) throws(ForeignFailure) -> ForeignType {
        var type = try type(named: name)
        for position in path {
            guard case .structure(let fields) = type else {
                throw .init("'\(name)' has no field \(position): it is \(type) there")
            }
            guard fields.indices.contains(position) else {
                throw .init("'\(name)' has no field \(position), only 0 to \(fields.count - 1)")
            }
            type = fields[position]
        }
        return type
    }

    private func meaning(
        of name: String
    ) throws(ForeignFailure) -> (type: ForeignType, isBuffer: Bool) {
        guard let meaning = meanings[name] else {
            throw .init("nothing named '\(name)' comes before it")
        }
        return meaning
    }
}

/// The reason why a value, a type or a call is invalid, without its place, or why a program cannot run or has stopped.
package struct ForeignFailure: Error, Equatable, Sendable {
    package var message: String

    package init(_ message: String) { self.message = message }
}

extension ForeignValue {
    /// Whether it is memory of a known length, which is created before the other arguments.
    package var isBuffer: Bool {
        switch self {
        case .string, .inputBytes, .inputFile, .outputBuffer: true
        default: false
        }
    }
}

extension ForeignCallback {
    /// Throws if it cannot be made into a function pointer.
    fileprivate func check() throws(ForeignFailure) {
        for type in parameters {
            guard case .strings(let count) = type else {
                try type.checkPassable()
                continue
            }
            guard let count else { continue }
            guard parameters.indices.contains(count), parameters[count].isInteger else {
                throw .init(
                    "strings are counted by parameter \(count), which is not an integer parameter")
            }
        }
        if returns == .void { return }
        if case .structure = returns { throw .init("a callback cannot return a struct") }
        try returns.checkPassable()
        for value in [value, valueWhenExpired ?? value] {
            if let range = returns.range, !range.contains(value) {
                throw .init("a callback cannot return \(value) as \(returns)")
            }
        }
    }
}

extension String {
    fileprivate func checkPath() throws(ForeignFailure) {
        guard !isEmpty, utf8.last != UInt8(ascii: "/"), !utf8.contains(0) else {
            throw ForeignFailure("'\(self)' is not the path of a file")
        }
    }
}
