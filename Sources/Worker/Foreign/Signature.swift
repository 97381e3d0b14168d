// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CFFI

/// A function's C signature, prepared for calls and for closures.
final class Signature {
    let parameters: [CType]
    let returns: CType
    /// Valid as long as this object, like the parameter types to which it points.
    let interface: UnsafeMutablePointer<ffi_cif>
    private let parameterTypes: UnsafeMutablePointer<UnsafeMutablePointer<ffi_type>?>

    /// `fixed`: the number of parameters before the variable part; nil: it is not variadic.
    init(parameters: [CType], returns: CType, fixed: Int? = nil) throws(ForeignFailure) {
        self.parameters = parameters
        self.returns = returns
        interface = .allocate(capacity: 1)
        interface.initialize(to: ffi_cif())
        parameterTypes = .allocate(capacity: max(1, parameters.count))
        for (index, parameter) in parameters.enumerated() {
            (parameterTypes + index).initialize(to: parameter.description)
        }
        let count = UInt32(parameters.count)
        let status =
            if let fixed {
                ffi_prep_cif_var(
                    interface, FFI_DEFAULT_ABI, UInt32(clamping: fixed), count, returns.description,
                    parameterTypes)
            } else {
                ffi_prep_cif(interface, FFI_DEFAULT_ABI, count, returns.description, parameterTypes)
            }
        guard status == FFI_OK else {
            let list = parameters.map(\.type.description).joined(separator: ", ")
            throw ForeignFailure("libffi cannot call \(returns.type) (\(list)) on this machine")
        }
    }

    deinit {
        interface.deallocate()
        parameterTypes.deallocate()
    }
}
