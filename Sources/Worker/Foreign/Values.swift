// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Glibc

/// The values of names in a running program, and their memory.
struct Values {
    let memory = ProgramMemory()
    private let scope: ForeignScope
    private let interpreter: ForeignInterpreter
    private var bindings: [String: Binding] = [:]
    /// Buffers to save.
    private var outputs: [(save: ForeignSave, buffer: UnsafeRawBufferPointer)] = []

    /// The value of a name. The addresses point to the program memory: valid while the program runs.
    enum Binding {
        case value(CType, UnsafeMutableRawPointer)
        case buffer(UnsafeMutableRawPointer, count: Int)
    }

    init(scope: ForeignScope, interpreter: ForeignInterpreter) {
        self.scope = scope
        self.interpreter = interpreter
    }

    mutating func bind(_ name: String, to binding: Binding) { bindings[name] = binding }

    /// Removes the names of a call that was not made, so that no call tries to clean them up.
    mutating func forget(_ call: ForeignCall) {
        for argument in call.arguments { argument.name.map { bindings[$0] = nil } }
    }

    /// Lays out a call's arguments; returns the address of each.
    mutating func evaluate(
        _ call: ForeignCall, as types: [CType]
    ) throws(ForeignFailure) -> [UnsafeMutableRawPointer?] {
        // A length may be passed before its buffer, so the buffers come first.
        for argument in call.arguments where argument.value.isBuffer {
            guard let name = argument.name else { continue }
            let buffer = try makeBuffer(argument.value)
            bind(name, to: .buffer(buffer.start, count: buffer.count))
        }
        var addresses: [UnsafeMutableRawPointer?] = []
        for (argument, type) in zip(call.arguments, types) {
            let address = try memory.allocate(type.size)
            addresses.append(address)
            switch (argument.name, argument.value) {
            case (let name?, let value) where value.isBuffer:
                try store(.reference(name), as: type, at: address, for: call)
            case (let name?, .pointerTo(let pointee)):
                let pointeeType = try self.type(of: pointee)
                let pointed = try memory.allocate(pointeeType.size)
                try store(pointee, as: pointeeType, at: pointed, for: call)
                storePointer(pointed, at: address)
                bind(name, to: .value(pointeeType, pointed))
            default:
                try store(argument.value, as: type, at: address, for: call)
                if let name = argument.name { bind(name, to: .value(type, address)) }
            }
        }
        return addresses
    }

    /// Stores `value`, which is of this type, at `address`.
    private mutating func store(
        _ value: ForeignValue, as type: CType, at address: UnsafeMutableRawPointer,
        for call: ForeignCall
    ) throws(ForeignFailure) {
        switch value {
        case .integer(_, let integer): type.type.store(integer, at: address)
        case .real(_, let real): type.type.store(real, at: address)
        case .null: storePointer(nil, at: address)
        case .string, .inputBytes, .inputFile, .outputBuffer:
            storePointer(try makeBuffer(value).start, at: address)
        case .pointerTo(let pointee):
            let pointeeType = try self.type(of: pointee)
            let pointed = try memory.allocate(pointeeType.size)
            try store(pointee, as: pointeeType, at: pointed, for: call)
            storePointer(pointed, at: address)
        case .structure(let fields):
            for (index, field) in fields.enumerated() {
                try store(
                    field, as: type.fields[index], at: address + type.offsets[index], for: call)
            }
        case .reference(let name):
            switch try binding(of: name) {
            case .value(_, let source): address.copyMemory(from: source, byteCount: type.size)
            case .buffer(let start, _): storePointer(start, at: address)
            }
        case .addressOf(let name):
            switch try binding(of: name) {
            case .value(_, let start), .buffer(let start, _): storePointer(start, at: address)
            }
        case .field(let name, let path):
            guard case .value(let whole, let start) = try binding(of: name) else {
                throw ForeignFailure("'\(name)' has no fields")
            }
            let field = whole.field(at: path)
            address.copyMemory(from: start + field.offset, byteCount: field.type.size)
        case .lengthOf(let name, let lengthType):
            let length = try length(of: name)
            guard lengthType.holds(length) else {
                throw ForeignFailure(
                    "the length of '\(name)', \(length), does not fit \(lengthType)")
            }
            type.type.store(length, at: address)
        case .callback(let declaration):
            let callback = try Callback(declaration, passedTo: call.function, by: interpreter)
            memory.keep(callback)
            storePointer(callback.code, at: address)
        }
    }

    private func storePointer(
        _ pointer: UnsafeMutableRawPointer?, at address: UnsafeMutableRawPointer
    ) {
        address.storeBytes(of: pointer, as: UnsafeMutableRawPointer?.self)
    }

    private func type(of value: ForeignValue) throws(ForeignFailure) -> CType {
        try CType.make(try scope.type(of: value))
    }

    private func binding(of name: String) throws(ForeignFailure) -> Binding {
        guard let binding = bindings[name] else {
            throw ForeignFailure("the call that makes '\(name)' was not made")
        }
        return binding
    }

    private func length(of name: String) throws(ForeignFailure) -> Int64 {
        switch try binding(of: name) {
        case .buffer(_, let count): return Int64(count)
        case .value(let type, let address):
            guard let string = type.type.pointer(at: address) else {
                throw ForeignFailure("'\(name)' is NULL, which has no length")
            }
            return Int64(strlen(string.assumingMemoryBound(to: CChar.self)))
        }
    }
}

// MARK: - Buffers

extension Values {
    private mutating func makeBuffer(
        _ value: ForeignValue
    ) throws(ForeignFailure) -> (start: UnsafeMutableRawPointer, count: Int) {
        switch value {
        case .string(let text): return try makeBuffer(Array(text.utf8))
        case .inputBytes(let bytes): return try makeBuffer(bytes)
        case .inputFile(let path):
            return try InputFile.read(
                path.resolved(from: interpreter.directory), named: path, into: memory)
        case .outputBuffer(let capacity, let save):
            let start = try memory.allocateBuffer(capacity)
            if let save {
                let buffer = UnsafeRawBufferPointer(start: start, count: Int(capacity))
                outputs.append((save, buffer))
            }
            return (start, Int(capacity))
        default: throw ForeignFailure("\(value) is not a buffer")
        }
    }

    /// A NUL follows the bytes, for functions that expect one.
    private func makeBuffer(
        _ bytes: [UInt8]
    ) throws(ForeignFailure) -> (start: UnsafeMutableRawPointer, count: Int) {
        let start = try memory.allocateBuffer(UInt64(bytes.count) + 1)
        bytes.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyMemory(from: $0)
        }
        return (start, bytes.count)
    }

    /// Saves the outputs; returns a description. Checks all lengths before the first file.
    func saveOutputs() throws(ForeignFailure) -> String? {
        var files: [OutputFile] = []
        for output in outputs {
            var count = Int64(output.buffer.count)
            if let name = output.save.length,
                case .value(let type, let address) = try binding(of: name)
            {
                count = type.type.integer(at: address)
            }
            guard 0...Int64(output.buffer.count) ~= count else {
                throw ForeignFailure(
                    "\(output.save.path) was not saved: its buffer has \(output.buffer.count) bytes, "
                        + "and '\(output.save.length ?? "")' says \(count)")
            }
            let bytes = UnsafeRawBufferPointer(rebasing: output.buffer[..<Int(count)])
            files.append(
                OutputFile(
                    path: output.save.path.resolved(from: interpreter.directory),
                    name: output.save.path, bytes: bytes))
        }
        guard !files.isEmpty else { return nil }
        try OutputFile.save(files)
        return files.map { "saved \($0.bytes.count) bytes to \($0.name)" }.joined(separator: ", ")
    }
}

// MARK: - After a failure

extension Values {
    /// Whether everything a call refers to exists; if not, it has nothing to clean up.
    func canEvaluate(_ call: ForeignCall) -> Bool {
        let own = Set(call.arguments.compactMap(\.name))
        return call.arguments.flatMap(\.value.references).allSatisfy {
            own.contains($0) || bindings[$0] != nil
        }
    }

    /// The texts that a call has left in its own string parameters: libraries put error messages there.
    func explanation(of call: ForeignCall) -> String {
        var text = ""
        for argument in call.arguments {
            guard let name = argument.name, case .pointerTo = argument.value,
                case .value(let type, let address)? = bindings[name], type.type == .string,
                let string = type.type.pointer(at: address)
            else { continue }
            text += "; \(name): \(CText.text(string))"
        }
        return text
    }
}

extension ForeignValue {
    /// The names to which it refers.
    fileprivate var references: [String] {
        switch self {
        case .reference(let name), .addressOf(let name), .field(let name, _),
            .lengthOf(let name, _):
            [name]
        case .pointerTo(let pointee): pointee.references
        case .structure(let fields): fields.flatMap(\.references)
        default: []
        }
    }
}

extension ForeignType {
    /// Whether this type can represent a length, which is not negative.
    fileprivate func holds(_ length: Int64) -> Bool {
        range.map { length <= ($0.upperBound) } ?? false
    }
}
