// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// The host's table, set once in `register`, before any other function of this plugin is called.
nonisolated(unsafe) private var host: UnsafePointer<bgrun_host>?

/// Runs one attempt. Nothing may be thrown out of here, and every path completes.
private func launch(
    _: UnsafeMutableRawPointer?, task: OpaquePointer?, given: UnsafePointer<bgrun_launch>?
) {
    guard let host, let given else { return }
    let identifier = String(cString: given.pointee.identifier)
    _ = host.pointee.log(host, task, BGRUN_LOG_INFO, "hello from Swift, \(identifier)")
    _ = host.pointee.set_progress(task, 1, 1)
    _ = host.pointee.complete(task, 1, "hello")
}

private func register(_ given: UnsafePointer<bgrun_host>?) -> Int32 {
    host = given
    return "greet".withCString { name in
        var greet = bgrun_handler()
        greet.struct_size = UInt32(MemoryLayout<bgrun_handler>.size)
        greet.name = name
        greet.launch = launch
        return given?.pointee.register_handler(given, &greet) ?? BGRUN_E_INVALID
    }
}

/// The table must live as long as the process: it is allocated once and never freed.
nonisolated(unsafe) private let plugin: UnsafePointer<bgrun_plugin> = {
    let name: StaticString = "hello-swift"
    let table = UnsafeMutablePointer<bgrun_plugin>.allocate(capacity: 1)
    table.initialize(to: bgrun_plugin())
    table.pointee.struct_size = UInt32(MemoryLayout<bgrun_plugin>.size)
    table.pointee.abi_version = BGRUN_ABI_MAJOR << 16 | BGRUN_ABI_MINOR
    table.pointee.name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    table.pointee.`init` = register
    return UnsafePointer(table)
}()

/// The compiler checks this against the declaration in the header.
@c @implementation
public func bgrun_plugin_entry(_ hostVersion: UInt32) -> UnsafePointer<bgrun_plugin>! {
    hostVersion >> 16 == BGRUN_ABI_MAJOR ? plugin : nil
}
