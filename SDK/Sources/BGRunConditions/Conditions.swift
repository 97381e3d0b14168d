// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

/// Compares the device with its previous state, at the launch of each attempt and after each change
/// while one runs. Starts at the first access to a reading or to the name of a notification.
final class Conditions: Sendable {
    static let powerStateDidChange = NSNotification.Name("NSProcessInfoPowerStateDidChange")
    static let thermalStateDidChange = NSNotification.Name(
        "NSProcessInfoThermalStateDidChangeNotification")

    private static let all = Mutex<[(runtime: PluginRuntime, conditions: Conditions)]>([])

    /// The conditions of the current runtime.
    static var current: Conditions {
        let runtime = PluginRuntime.current
        return all.withLock { all in
            if let known = all.first(where: { $0.runtime === runtime }) { return known.conditions }
            let conditions = Conditions(runtime)
            all.append((runtime, conditions))
            return conditions
        }
    }

    /// The previous values.
    private let latest: Mutex<PluginDevice>
    private let runtime: PluginRuntime

    /// The latest device readings from the host.
    var device: PluginDevice { runtime.device }

    private init(_ runtime: PluginRuntime) {
        self.runtime = runtime
        latest = Mutex(runtime.device)
        runtime.add(
            PluginObserver(
                willLaunch: { [weak self] _ in self?.update(runtime.device) },
                deviceDidChange: { [weak self] in self?.update(runtime.device) }))
    }

    private func update(_ device: PluginDevice) {
        let before = latest.withLock { latest in
            defer { latest = device }
            return latest
        }
        if (before.isLowPowerModeEnabled ?? false) != (device.isLowPowerModeEnabled ?? false) {
            post(Self.powerStateDidChange)
        }
        if (before.thermalState ?? .nominal) != (device.thermalState ?? .nominal) {
            post(Self.thermalStateDidChange)
        }
    }

    private func post(_ name: NSNotification.Name) {
        NotificationCenter.default.post(name: name, object: ProcessInfo.processInfo)
    }
}
