// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: processing runs only while the device is idle, and ends when a person starts to use
    /// it. If use cannot be detected, processing is not delayed.
    package var userActivityVerdict: Decision {
        userIdle == .no ? .blocked(until: nil) : .satisfied
    }
}
