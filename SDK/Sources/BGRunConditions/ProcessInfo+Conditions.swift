// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

// Foundation on Linux has neither of these. They say how the device was when the current attempt
// was launched; before the first attempt, and where the device cannot tell, they say what is
// harmless.

extension ProcessInfo {
    /// How hot a device is.
    public enum ThermalState: Int, Sendable {
        case nominal
        case fair
        case serious
        case critical
    }

    /// How hot the device is; `nominal` where it cannot tell.
    public var thermalState: ThermalState {
        Conditions.current.device.thermalState
            .flatMap { ThermalState(rawValue: Int($0.rawValue)) } ?? .nominal
    }

    /// Whether the device saves power; false where it cannot tell.
    public var isLowPowerModeEnabled: Bool {
        Conditions.current.device.isLowPowerModeEnabled ?? false
    }

    /// Posted, on the thread of the launch, when an attempt finds another `thermalState` than the
    /// attempt before it in this process.
    public static var thermalStateDidChangeNotification: NSNotification.Name {
        _ = Conditions.current
        return Conditions.thermalStateDidChange
    }
}

extension NSNotification.Name {
    /// Posted, on the thread of the launch, when an attempt finds `isLowPowerModeEnabled` changed
    /// since the attempt before it in this process.
    public static var NSProcessInfoPowerStateDidChange: NSNotification.Name {
        _ = Conditions.current
        return Conditions.powerStateDidChange
    }
}
