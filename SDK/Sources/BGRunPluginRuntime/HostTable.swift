// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// The host's functions.
///
/// `@unchecked Sendable`: the ABI says that the host's tables are constant, valid until the process
/// ends, and may be called on any thread.
struct HostTable: @unchecked Sendable {
    let pointer: UnsafePointer<bgrun_host>
    let checkpoint: UnsafePointer<bgrun_checkpoint_ext>?
    let scheduler: UnsafePointer<bgrun_scheduler_ext>?
    let device: UnsafePointer<bgrun_device_ext>?
    let assertion: UnsafePointer<bgrun_assertion_ext>?

    init(_ host: UnsafePointer<bgrun_host>) {
        pointer = host
        checkpoint = Self.table(host, BGRUN_EXT_CHECKPOINT)
        scheduler = Self.table(host, BGRUN_EXT_SCHEDULER)
        device = Self.table(host, BGRUN_EXT_DEVICE)
        assertion = Self.table(host, BGRUN_EXT_ASSERTION)
    }

    var functions: bgrun_host { pointer.pointee }

    private static func table<Table>(
        _ host: UnsafePointer<bgrun_host>, _ name: String
    ) -> UnsafePointer<Table>? {
        host.pointee.get_extension(host, name)?.assumingMemoryBound(to: Table.self)
    }
}
