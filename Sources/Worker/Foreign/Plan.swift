// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CFFI

/// A program that can run: all its libraries, functions and signatures exist.
final class Plan {
    let calls: [Call]
    /// Knows the types of all names in the program; names are unique, so this holds everywhere.
    let scope: ForeignScope

    struct Call {
        var call: ForeignCall
        var function: UnsafeMutableRawPointer
        var signature: Signature
    }

    /// Throws all problems, not only the first; calls no functions.
    init(_ program: ForeignProgram, for interpreter: ForeignInterpreter) throws(ForeignFailure) {
        let problems = program.problems()
        guard problems.isEmpty else {
            throw ForeignFailure(problems.map(\.description).joined(separator: "\n"))
        }
        var libraries = Libraries(interpreter: interpreter)
        var scope = ForeignScope()
        var calls: [Call] = []
        var reasons: [String] = []
        for call in program.calls {
            do {
                let signature = try Self.signature(of: call, in: &scope)
                let function = try libraries.function(call.function, in: call.library)
                calls.append(Call(call: call, function: function, signature: signature))
            } catch {
                if !reasons.contains(error.message) { reasons.append(error.message) }
            }
        }
        guard reasons.isEmpty else { throw ForeignFailure(reasons.joined(separator: "\n")) }
        self.calls = calls
        self.scope = scope
    }

    private static func signature(
        of call: ForeignCall, in scope: inout ForeignScope
    ) throws(ForeignFailure) -> Signature {
        var parameters: [CType] = []
        scope.declareBuffers(of: call)
        for argument in call.arguments {
            let type: ForeignType
            do throws(ForeignFailure) {
                type = try scope.declare(argument)
            } catch {
                throw ForeignFailure("\(call.function): \(error.message)")
            }
            parameters.append(try CType.make(type))
        }
        scope.declareResult(of: call)
        return try Signature(
            parameters: parameters, returns: try CType.make(call.returns),
            fixed: call.fixedArguments)
    }
}
