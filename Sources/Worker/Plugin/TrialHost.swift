// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc
import Synchronization

/// Changes the plugin's host for `bgrun plugin check`. Has no effect without a trial.
enum TrialHost {
    private static let settings = Monitor<HostMessage.Trial?>(nil)
    /// Checked first, so that host functions take no lock without a trial.
    private static let isOn = Atomic<Bool>(false)
    /// The number of extra bytes of a struct, in a trial of longer structs.
    private static let tail = 64

    static func begin(_ trial: HostMessage.Trial?) {
        settings.change { $0 = trial }
        isOn.store(trial != nil, ordering: .releasing)
    }

    static var trial: HostMessage.Trial? {
        isOn.load(ordering: .acquiring) ? settings.look { $0 } : nil
    }

    static var isTrial: Bool { isOn.load(ordering: .acquiring) }

    /// The ABI version that the plugin sees.
    static var abiVersion: UInt32 { trial?.abiVersion ?? HostTable.abiVersion }

    /// Reports a refused call to the host; returns the status unchanged.
    static func remark(_ attempt: Int64, _ call: String, _ status: Int32) -> Int32 {
        if status < 0, isOn.load(ordering: .acquiring) {
            HostChannel.send(.remark(attempt: attempt, call: call, status: status))
        }
        return status
    }

    /// A host table of this ABI version, with the size that the trial requires.
    static func table(_ pointer: UnsafePointer<bgrun_host>) -> UnsafePointer<bgrun_host> {
        guard let trial else { return pointer }
        var table = pointer.pointee
        table.abi_version = trial.abiVersion
        return UnsafePointer(copy(table))
    }

    /// The table of an extension, with the size that the trial requires.
    static func extensionTable<Table>(_ table: UnsafePointer<Table>) -> UnsafeRawPointer? {
        guard let trial else { return UnsafeRawPointer(table) }
        return trial.hasExtensions ? UnsafeRawPointer(copy(table.pointee)) : nil
    }

    /// Calls `body` with `value`, with the size that the trial requires.
    static func pass<Value>(_ value: Value, to body: (UnsafePointer<Value>) -> Void) {
        guard isOn.load(ordering: .acquiring) else { return withUnsafePointer(to: value, body) }
        let pointer = copy(value)
        body(UnsafePointer(pointer))
        // A use after the call is detected by this pattern.
        memset(pointer, 0xA5, MemoryLayout<Value>.size)
        UnsafeMutableRawPointer(pointer).deallocate()
    }

    /// The plugin must not claim to know a feature that does not exist.
    static func askForUnknownExtension(_ plugin: bgrun_plugin) {
        guard isOn.load(ordering: .acquiring), let ask = plugin.get_extension else { return }
        if ask("bgrun.no-such-feature/1") != nil {
            _ = remark(0, "get_extension of the plugin", BGRUN_E_INVALID)
        }
    }

    /// A copy of a struct that begins with `struct_size`; freed by the receiver.
    private static func copy<Value>(_ value: Value) -> UnsafeMutablePointer<Value> {
        let size = MemoryLayout<Value>.size
        let bytes = UnsafeMutableRawPointer.allocate(byteCount: size + tail, alignment: 16)
        memset(bytes, 0xA5, size + tail)
        let pointer = bytes.bindMemory(to: Value.self, capacity: 1)
        pointer.initialize(to: value)
        let extra = trial?.hasLongerStructs == true ? tail : 0
        bytes.storeBytes(of: UInt32(size + extra), as: UInt32.self)  // fits: a structure
        return pointer
    }
}
