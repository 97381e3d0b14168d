// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation
import Testing

/// The entry of this test bundle as a plugin, as `@main` generates it.
@c(bgrun_plugin_main)
public func pluginMain() -> CInt {
    EntryTests.bundleIdentifier = Bundle.main.bundleIdentifier
    return 0
}

@Suite("The entry of a plugin", .timeLimit(.minutes(5)))
struct EntryTests {
    /// The identifier that `pluginMain` has read. Written once, in the process of one test.
    nonisolated(unsafe) fileprivate static var bundleIdentifier: String?

    /// Runs in a separate process, because the process cannot stop being a plugin's.
    @Test("Before main runs, the main bundle has the identifier of the manifest's app")
    func bundle() async {
        await #expect(processExitsWith: .success) {
            let host = FakeHost()
            let plugin = try #require(
                bgrun_plugin_entry(BGRUN_ABI_MAJOR << 16 | BGRUN_ABI_MINOR))
            let initialize = try #require(plugin.pointee.`init`)
            #expect(initialize(UnsafePointer(bitPattern: host.table)) == BGRUN_OK)
            #expect(Self.bundleIdentifier == "com.example.app")
            #expect(Bundle.main.bundleIdentifier == "com.example.app")
        }
    }
}
