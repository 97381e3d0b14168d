// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime

/// A plugin's main type: its `init` registers the handlers.
///
///     @main
///     struct Photos: BGRunPlugin {
///         init() {
///             BGTaskScheduler.shared.register("com.example.photos.refresh") { task in
///                 try await refresh()
///             }
///         }
///     }
@MainActor
public protocol BGRunPlugin {
    init()
}

extension BGRunPlugin {
    public static func main() {
        PluginRuntime.launch { _ = Self() }
    }
}
