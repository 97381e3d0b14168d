// SPDX-License-Identifier: Apache-2.0

extension AppFacts {
    /// Apple: backgroundRefreshStatus must be available.
    var refreshSwitchVerdict: Decision {
        refreshSwitch == .available ? .satisfied : .blocked(until: nil)
    }
}
