// SPDX-License-Identifier: Apache-2.0

extension DeviceState {
    /// Apple: processing runs only while the device is idle, and ends when a person starts to use it. A
    /// machine that cannot tell whether it is used holds nothing back.
    public var userActivityVerdict: Verdict {
        userIdle == .no ? .blocked(until: nil) : .satisfied
    }
}
