// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks

/// The calls in the app of the current scheduler, in order.
@MainActor
enum Recorder {
    private static var all: [(runtime: PluginRuntime, events: [String])] = []

    static func add(_ event: String) {
        let runtime = PluginRuntime.current
        if let place = all.firstIndex(where: { $0.runtime === runtime }) {
            all[place].events.append(event)
        } else {
            all.append((runtime, [event]))
        }
    }

    static var events: [String] {
        all.first { $0.runtime === PluginRuntime.current }?.events ?? []
    }
}
