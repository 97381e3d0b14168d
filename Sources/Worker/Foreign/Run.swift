// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CFFI
import Glibc

/// One run of a plan.
struct Run {
    private let plan: Plan
    private let interpreter: ForeignInterpreter
    private var values: Values

    init(of plan: Plan, by interpreter: ForeignInterpreter) {
        self.plan = plan
        self.interpreter = interpreter
        values = Values(scope: plan.scope, interpreter: interpreter)
    }

    /// Makes the calls and saves the outputs.
    consuming func outcome() -> ForeignOutcome {
        var failure: ForeignFailure?
        for planned in plan.calls {
            if failure == nil, interpreter.isExpired() {
                failure = ForeignFailure("the attempt expired before \(planned.call.function)")
            }
            if failure != nil, !planned.call.always { continue }
            if failure != nil, !values.canEvaluate(planned.call) {
                interpreter.log(.debug, "\(planned.call.function) has nothing to clean up")
                continue
            }
            do throws(ForeignFailure) {
                try make(planned)
            } catch {
                if failure != nil { interpreter.log(.warning, error.message) }
                failure = failure ?? error
            }
        }
        // The output of the functions is still in C's buffers of this process.
        fflush(nil)
        if let failure { return .failed(message: failure.message) }
        do throws(ForeignFailure) {
            return .succeeded(message: try values.saveOutputs())
        } catch {
            return .failed(message: error.message)
        }
    }

    private mutating func make(_ planned: Plan.Call) throws(ForeignFailure) {
        let call = planned.call
        var arguments: [UnsafeMutableRawPointer?]
        do throws(ForeignFailure) {
            arguments = try values.evaluate(call, as: planned.signature.parameters)
        } catch {
            values.forget(call)
            throw ForeignFailure("\(call.function) was not called: \(error.message)")
        }
        let type = planned.signature.returns
        // libffi may write a register or two, regardless of the size of the type.
        let result = try values.memory.allocate(max(16, type.size))
        let error = arguments.withUnsafeMutableBufferPointer {
            bgrun_ffi_call(planned.signature.interface, planned.function, result, $0.baseAddress)
        }
        if type.type.isInteger { type.type.store(type.type.widenedInteger(at: result), at: result) }
        if let name = call.result { values.bind(name, to: .value(type, result)) }
        interpreter.log(.debug, "\(call.function) returned \(CText.describe(type, at: result))")
        if let success = call.success,
            let complaint = success.complaint(about: type, at: result, errno: error)
        {
            throw ForeignFailure("\(call.function) \(complaint)\(values.explanation(of: call))")
        }
    }
}
