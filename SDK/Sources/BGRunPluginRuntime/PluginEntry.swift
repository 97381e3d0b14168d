// SPDX-License-Identifier: Apache-2.0

import CBGRunEntry
import CBGRunPlugin

/// The only exported symbol of a plugin; the compiler checks it against the header.
@c @implementation
public func bgrun_plugin_entry(_ hostVersion: UInt32) -> UnsafePointer<bgrun_plugin>! {
    hostVersion >> 16 == BGRUN_ABI_MAJOR ? PluginEntry.table : nil
}

private enum PluginEntry {
    /// Lives as long as the process. Dispatch and Swift's concurrency keep threads, and the main
    /// run loop keeps descriptors.
    nonisolated(unsafe) static let table: UnsafePointer<bgrun_plugin> = {
        var plugin = bgrun_plugin()
        plugin.struct_size = UInt32(MemoryLayout<bgrun_plugin>.size)
        plugin.abi_version = BGRUN_ABI_MAJOR << 16 | BGRUN_ABI_MINOR
        plugin.flags = BGRUN_PLUGIN_KEEPS_THREADS | BGRUN_PLUGIN_KEEPS_DESCRIPTORS
        plugin.name = bgrun_plugin_name()
        plugin.`init` = { host in
            guard let host else { return BGRUN_E_INVALID }
            let app = HostTable(host).app?.pointee.app
            AppHome.prepare(app: app.map { String(cString: $0) })
            let runtime = PluginRuntime.process
            // Without an app, such as under `bgrun plugin inspect`, code may still unwrap the
            // identifier.
            bgrun_set_bundle_identifier(app ?? bgrun_plugin_name())
            let status = runtime.attach(host, registration: callMain)
            // The host reads the flags after init has returned.
            if runtime.followsApp { own.pointee.flags |= BGRUN_PLUGIN_FOLLOWS_APP }
            return status
        }
        own.initialize(to: plugin)
        return UnsafePointer(own)
    }()

    /// The memory that `table` points to.
    nonisolated(unsafe) private static let own = UnsafeMutablePointer<bgrun_plugin>.allocate(
        capacity: 1)

    private static func callMain() {
        guard bgrun_call_plugin_main() == -1 else { return }
        PluginRuntime.process.log(
            .error, "the plugin has no @main type, so nothing registers its handlers")
    }
}
