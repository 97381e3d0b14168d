// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

extension HostTable {
    nonisolated(unsafe) static let registration = constant(
        bgrun_registration_ext(
            struct_size: UInt32(MemoryLayout<bgrun_registration_ext>.size), reserved: 0,
            registered: { _, registration in
                TrialHost.remark(0, "registered", registered(registration))
            }))

    static func registrationTable() -> UnsafeRawPointer? {
        let table = TrialHost.extensionTable(registration)
        if table != nil { Registrations.expect() }
        return table
    }

    private static func registered(_ pointer: UnsafePointer<bgrun_registration>?) -> Int32 {
        guard let value = pointer?.pointee,
            Int(value.struct_size) >= MemoryLayout<bgrun_registration>.size,
            value.identifier != nil || value.kind != 0,
            value.identifier.map({ strnlen($0, longestIdentifier + 1) <= longestIdentifier })
                ?? true
        else { return BGRUN_E_INVALID }
        let delay = value.earliest_delay_ns
        Registrations.add(
            Registration(
                // A character in place of an invalid byte is longer.
                identifier: value.identifier.map {
                    text($0, atMost: longestIdentifier).cut(to: longestIdentifier)
                },
                kind: UInt8(clamping: value.kind), delayNanoseconds: delay < 0 ? nil : delay,
                requires: UInt8(truncatingIfNeeded: value.requires)))
        return BGRUN_OK
    }
}
