// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: Background App Refresh is off in Low Power Mode. An unknown mode counts as off.
    var lowPowerModeVerdict: Decision {
        lowPowerMode == .yes ? .blocked(until: nil) : .satisfied
    }
}
