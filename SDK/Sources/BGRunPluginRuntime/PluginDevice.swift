// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// The latest device readings from the host; nil: unknown.
public struct PluginDevice: Hashable, Sendable {
    public enum ThermalState: Int32, Hashable, Sendable, CaseIterable {
        case nominal, fair, serious, critical
    }

    /// Apple: UIBackgroundRefreshStatus.
    public enum BackgroundRefresh: Int32, Hashable, Sendable, CaseIterable {
        /// Switched off by an administrator.
        case restricted
        /// Switched off by the user.
        case denied
        case available
    }

    public var hasExternalPower: Bool?
    /// 0 to 100.
    public var batteryPercent: Int?
    public var isLowPowerModeEnabled: Bool?
    public var hasNetwork: Bool?
    public var isNetworkMetered: Bool?
    public var isUserIdle: Bool?
    public var thermalState: ThermalState?
    /// The background refresh setting of the app.
    public var backgroundRefresh: BackgroundRefresh?

    /// Nothing is known.
    public init() {}

    init(_ device: bgrun_device) {
        hasExternalPower = Self.truth(device.external_power)
        batteryPercent = device.battery_percent < 0 ? nil : Int(device.battery_percent)
        isLowPowerModeEnabled = Self.truth(device.low_power_mode)
        hasNetwork = Self.truth(device.network)
        isNetworkMetered = Self.truth(device.network_metered)
        isUserIdle = Self.truth(device.user_idle)
        thermalState = ThermalState(rawValue: device.thermal_state)
        backgroundRefresh = BackgroundRefresh(rawValue: device.background_refresh)
    }

    private static func truth(_ value: Int32) -> Bool? {
        value < 0 ? nil : value != BGRUN_NO
    }
}
