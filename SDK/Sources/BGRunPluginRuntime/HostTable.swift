// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// The host's functions.
///
/// `@unchecked Sendable`: the ABI guarantees that the host's tables are constant, valid until the
/// process ends, and callable on any thread.
struct HostTable: @unchecked Sendable {
    let pointer: UnsafePointer<bgrun_host>
    let checkpoint: UnsafePointer<bgrun_checkpoint_ext>?
    let scheduler: UnsafePointer<bgrun_scheduler_ext>?
    let device: UnsafePointer<bgrun_device_ext>?
    let assertion: UnsafePointer<bgrun_assertion_ext>?
    let app: UnsafePointer<bgrun_app_ext>?
    let transfer: UnsafePointer<bgrun_transfer_ext>?
    let push: UnsafePointer<bgrun_push_ext>?
    /// nil for a host of ABI 1.3 or older.
    let process: UnsafePointer<bgrun_process_ext>?
    let registration: UnsafePointer<bgrun_registration_ext>?

    init(_ host: UnsafePointer<bgrun_host>) {
        pointer = host
        checkpoint = Self.table(host, BGRUN_EXT_CHECKPOINT)
        scheduler = Self.table(host, BGRUN_EXT_SCHEDULER)
        device = Self.table(host, BGRUN_EXT_DEVICE)
        assertion = Self.table(host, BGRUN_EXT_ASSERTION)
        app = Self.table(host, BGRUN_EXT_APP)
        transfer = Self.table(host, BGRUN_EXT_TRANSFER)
        push = Self.table(host, BGRUN_EXT_PUSH)
        process = Self.table(host, BGRUN_EXT_PROCESS)
        registration = Self.table(host, BGRUN_EXT_REGISTRATION)
    }

    var functions: bgrun_host { pointer.pointee }

    /// The manifest's declaration of an identifier or a pattern; nil if the host does not support the
    /// query.
    func declaration(of identifier: String) -> Declaration? {
        guard let app else { return nil }
        switch app.pointee.task_kind(pointer, identifier) {
        case BGRUN_E_NOT_PERMITTED, BGRUN_E_INVALID: return .undeclared
        case let kind where kind > 0: return .task(PluginTask.Kind(rawValue: UInt32(kind)))
        default: return .permitted
        }
    }

    /// The readings in an attempt; for nil, those in the plugin's init, unknown if the host is older
    /// than ABI 1.5.
    func readDevice(in task: OpaquePointer?) -> PluginDevice {
        guard let read = device?.pointee.read else { return PluginDevice() }
        var device = bgrun_device()
        device.struct_size = UInt32(MemoryLayout<bgrun_device>.size)
        device.background_refresh = BGRUN_UNKNOWN
        guard read(task, &device) == BGRUN_OK else { return PluginDevice() }
        return PluginDevice(device)
    }

    enum Declaration: Equatable {
        case undeclared
        /// Permitted, but without a handling task.
        case permitted
        /// Handled by a task of this kind; nil for a kind that this SDK does not know.
        case task(PluginTask.Kind?)
    }

    /// A copy of a struct of the host; takes fields that an older host lacks from `empty`.
    static func copy<Value>(_ pointer: UnsafePointer<Value>, over empty: Value) -> Value {
        var value = empty
        let size = UnsafeRawPointer(pointer).load(as: UInt32.self)
        withUnsafeMutableBytes(of: &value) { bytes in
            bytes.copyMemory(
                from: UnsafeRawBufferPointer(
                    start: pointer, count: min(Int(size), bytes.count)))
        }
        return value
    }

    private static func table<Table>(
        _ host: UnsafePointer<bgrun_host>, _ name: String
    ) -> UnsafePointer<Table>? {
        host.pointee.get_extension(host, name)?.assumingMemoryBound(to: Table.self)
    }
}
