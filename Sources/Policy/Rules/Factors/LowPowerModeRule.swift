// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: Background App Refresh is off in Low Power Mode. A machine that does not know the mode is not in it.
    var lowPowerModeVerdict: Decision {
        lowPowerMode == .yes ? .blocked(until: nil) : .satisfied
    }
}
