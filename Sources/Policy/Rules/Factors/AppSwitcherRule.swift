// SPDX-License-Identifier: Apache-2.0

extension AppFacts {
    /// Apple: an app that was force-quit runs nothing in the background until a person opens it.
    var appSwitcherVerdict: Decision { isForceQuit ? .blocked(until: nil) : .satisfied }
}
