// SPDX-License-Identifier: Apache-2.0

/// Whether app-refresh tasks may be launched.
public enum UIBackgroundRefreshStatus: Int, Sendable {
    /// Off, by an administrator: `bgrun refresh restricted`.
    case restricted = 0
    /// Off, by the user: `bgrun refresh off`; also while the device is in low-power mode, as on iOS.
    case denied = 1
    case available = 2
}
