// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CFFI

/// A C function pointer that returns a fixed value; made by a libffi closure.
///
/// A library may call it on any thread: everything it uses is immutable or thread-safe.
final class Callback {
    /// The function pointer; valid as long as this object.
    let code: UnsafeMutableRawPointer
    private let closure: UnsafeMutableRawPointer
    private let signature: Signature
    private let declaration: ForeignCallback
    /// The function it was passed to, for the log.
    private let caller: String
    private let interpreter: ForeignInterpreter

    init(
        _ declaration: ForeignCallback, passedTo caller: String, by interpreter: ForeignInterpreter
    ) throws(ForeignFailure) {
        self.declaration = declaration
        self.caller = caller
        self.interpreter = interpreter
        var parameters: [CType] = []
        for type in declaration.parameters { parameters.append(try CType.make(type)) }
        signature = try Signature(
            parameters: parameters, returns: try CType.make(declaration.returns))
        var code: UnsafeMutableRawPointer?
        guard let closure = ffi_closure_alloc(MemoryLayout<ffi_closure>.size, &code), let code
        else {
            throw ForeignFailure(
                "libffi cannot make a callback: the system forbids memory that is executable")
        }
        self.closure = closure
        self.code = code
        // The closure is freed with this object, so its pointer to it never dangles.
        let status = ffi_prep_closure_loc(
            closure.assumingMemoryBound(to: ffi_closure.self), signature.interface,
            { _, result, arguments, context in
                guard let context else { return }
                Unmanaged<Callback>.fromOpaque(context).takeUnretainedValue()
                    .answer(arguments, into: result)
            }, Unmanaged.passUnretained(self).toOpaque(), code)
        guard status == FFI_OK else { throw ForeignFailure("libffi cannot make the callback") }
    }

    deinit { ffi_closure_free(closure) }

    private func answer(
        _ arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        into result: UnsafeMutableRawPointer?
    ) {
        let value =
            if let late = declaration.valueWhenExpired, interpreter.isExpired() {
                late
            } else {
                declaration.value
            }
        if declaration.returns != .void, let result {
            declaration.returns.storeWidened(value, at: result)
        }
        guard declaration.log else { return }
        let texts = signature.parameters.indices.map { describe($0, of: arguments) }
        let answer = declaration.returns == .void ? "" : ", answered \(value)"
        interpreter.log(.info, "\(caller) called back (\(texts.joined(separator: ", ")))\(answer)")
    }

    private func describe(
        _ position: Int, of arguments: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> String {
        guard let address = arguments?[position] else { return "nothing" }
        let parameter = signature.parameters[position]
        guard case .strings(let counter?) = parameter.type, let count = arguments?[counter] else {
            return CText.describe(parameter, at: address)
        }
        return CText.describe(
            parameter, at: address, count: signature.parameters[counter].type.integer(at: count))
    }
}
