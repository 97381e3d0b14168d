// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

extension ForeignSuccess {
    /// The problem with a returned value, to follow the function's name; nil: none.
    func complaint(about type: CType, at address: UnsafeRawPointer, errno error: Int32) -> String? {
        let returned = "returned \(CText.describe(type, at: address))"
        func order(_ operand: Int64) -> Int? { type.type.order(at: address, to: operand) }
        return switch self {
        case .zero: order(0) == 0 ? nil : "\(returned), not 0"
        case .nonZero: order(0) != 0 ? nil : returned
        case .equals(let value): order(value) == 0 ? nil : "\(returned), not \(value)"
        case .notEquals(let value): order(value) != 0 ? nil : returned
        case .atLeast(let value):
            (order(value) ?? -1) >= 0 ? nil : "\(returned), not at least \(value)"
        case .lessThan(let value): order(value) == -1 ? nil : "\(returned), not less than \(value)"
        case .errno:
            type.type.isError(at: address, errno: error)
                ? "\(returned): \(CText.error(error))" : nil
        }
    }
}

extension ForeignType {
    /// Compares the value at `address` with `operand`: -1 below, 0 equal, 1 above; nil if it is not
    /// a number.
    fileprivate func order(at address: UnsafeRawPointer, to operand: Int64) -> Int? {
        func compare<Value: Comparable>(_ left: Value, _ right: Value) -> Int? {
            left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
        }
        return switch self {
        case .f32, .f64: compare(real(at: address), Double(operand))
        case .u64:
            compare(UInt64(bitPattern: integer(at: address)), UInt64(bitPattern: operand))
        default: compare(integer(at: address), operand)
        }
    }

    /// Whether the value at `address` is an error with the reason in errno.
    fileprivate func isError(at address: UnsafeRawPointer, errno error: Int32) -> Bool {
        switch self {
        case .f32, .f64: error != 0
        case .pointer, .string, .strings: integer(at: address) == 0
        case .u8, .u16, .u32: integer(at: address) == range?.upperBound
        default: integer(at: address) == -1
        }
    }
}
