// SPDX-License-Identifier: Apache-2.0

/// Whether app-refresh tasks may be launched.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// Forbidden by an administrator. Never said by bgrun.
    case restricted = 0
    /// Off. bgrun says so while the device is in low-power mode, as iOS does.
    case denied = 1
    case available = 2
}
