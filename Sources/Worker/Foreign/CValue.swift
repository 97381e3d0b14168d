// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CFFI

/// Scalars in memory. Each function needs `size` readable or writable bytes at the address, which
/// need not be aligned; structs and `void` are neither read nor written.
extension ForeignType {
    /// An integer or an address; unsigned 64-bit ones as their bit pattern.
    func integer(at address: UnsafeRawPointer) -> Int64 {
        switch self {
        case .i8: Int64(address.loadUnaligned(as: Int8.self))
        case .u8: Int64(address.loadUnaligned(as: UInt8.self))
        case .i16: Int64(address.loadUnaligned(as: Int16.self))
        case .u16: Int64(address.loadUnaligned(as: UInt16.self))
        case .i32: Int64(address.loadUnaligned(as: Int32.self))
        case .u32: Int64(address.loadUnaligned(as: UInt32.self))
        case .i64, .u64: address.loadUnaligned(as: Int64.self)
        case .pointer, .string, .strings: Int64(Int(bitPattern: pointer(at: address)))
        case .void, .f32, .f64, .structure: 0
        }
    }

    /// The bits of `value` that this type has.
    func store(_ value: Int64, at address: UnsafeMutableRawPointer) {
        switch self {
        case .i8, .u8: address.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
        case .i16, .u16:
            address.storeBytes(of: UInt16(truncatingIfNeeded: value), as: UInt16.self)
        case .i32, .u32:
            address.storeBytes(of: UInt32(truncatingIfNeeded: value), as: UInt32.self)
        case .i64, .u64: address.storeBytes(of: value, as: Int64.self)
        case .pointer, .string, .strings:
            address.storeBytes(of: Int(truncatingIfNeeded: value), as: Int.self)
        case .f32, .f64: store(Double(value), at: address)
        case .void, .structure: break
        }
    }

    func real(at address: UnsafeRawPointer) -> Double {
        switch self {
        case .f32: Double(address.loadUnaligned(as: Float.self))
        case .f64: address.loadUnaligned(as: Double.self)
        default: 0
        }
    }

    func store(_ value: Double, at address: UnsafeMutableRawPointer) {
        switch self {
        case .f32: address.storeBytes(of: Float(value), as: Float.self)
        case .f64: address.storeBytes(of: value, as: Double.self)
        default: break
        }
    }

    /// libffi returns small integers as a whole register.
    func widenedInteger(at address: UnsafeRawPointer) -> Int64 {
        let register = address.loadUnaligned(as: ffi_sarg.self)
        switch self {
        case .i8: return Int64(Int8(truncatingIfNeeded: register))
        case .u8: return Int64(UInt8(truncatingIfNeeded: register))
        case .i16: return Int64(Int16(truncatingIfNeeded: register))
        case .u16: return Int64(UInt16(truncatingIfNeeded: register))
        case .i32: return Int64(Int32(truncatingIfNeeded: register))
        case .u32: return Int64(UInt32(truncatingIfNeeded: register))
        default: return integer(at: address)
        }
    }

    /// Stores the result of a callback, in libffi's form.
    func storeWidened(_ value: Int64, at address: UnsafeMutableRawPointer) {
        if isInteger, self != .i64, self != .u64 {
            address.storeBytes(of: ffi_sarg(truncatingIfNeeded: value), as: ffi_sarg.self)
        } else {
            store(value, at: address)
        }
    }

    /// The pointer stored at `address`.
    func pointer(at address: UnsafeRawPointer) -> UnsafeRawPointer? {
        address.loadUnaligned(as: UnsafeRawPointer?.self)
    }
}
