// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

// Foundation on Linux lacks these. They return the readings of the device at the launch of
// the process, then the latest of attempts, and harmless defaults for unknown ones.

extension ProcessInfo {
    /// The thermal state of a device.
    public enum ThermalState: Int, Sendable {
        case nominal
        case fair
        case serious
        case critical
    }

    /// The thermal state of the device; `nominal` if unknown.
    public var thermalState: ThermalState {
        Conditions.current.device.thermalState
            .flatMap { ThermalState(rawValue: Int($0.rawValue)) } ?? .nominal
    }

    /// Whether the device saves power; false if unknown.
    public var isLowPowerModeEnabled: Bool {
        Conditions.current.device.isLowPowerModeEnabled ?? false
    }

    /// Posted when `thermalState` changes while an attempt runs, on a thread owned by bgrun, and on
    /// the launch thread of an attempt if the value has changed since the previous one, or since the
    /// launch of the process.
    public static var thermalStateDidChangeNotification: NSNotification.Name {
        _ = Conditions.current
        return Conditions.thermalStateDidChange
    }
}

extension NSNotification.Name {
    /// Posted when `isLowPowerModeEnabled` changes while an attempt runs, on a thread owned by
    /// bgrun, and on the launch thread of an attempt if the value has changed since the previous
    /// one, or since the launch of the process.
    public static var NSProcessInfoPowerStateDidChange: NSNotification.Name {
        _ = Conditions.current
        return Conditions.powerStateDidChange
    }
}

extension ProcessInfo {
    /// False: this is Linux.
    public var isiOSAppOnMac: Bool { false }
    /// False: this is Linux.
    public var isMacCatalystApp: Bool { false }
}
