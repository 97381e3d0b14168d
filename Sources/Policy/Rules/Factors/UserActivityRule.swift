// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: processing runs only while the device is idle. If use cannot be detected, it is not delayed.
    var userActivityVerdict: Decision {
        userIdle == .no ? .blocked(until: nil) : .satisfied
    }
}
