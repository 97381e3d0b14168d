// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation

/// The machine: the latest readings in an attempt, before the first one those at launch.
@preconcurrency @MainActor
public final class UIDevice: NSObject {
    /// Whether the battery is charging.
    public enum BatteryState: Int, Sendable {
        case unknown, unplugged, charging, full
    }

    /// The interface idiom of a device.
    public enum UserInterfaceIdiom: Int, Sendable {
        case unspecified = -1
        case phone, pad, tv, carPlay
        case mac = 5
    }

    public static let current = UIDevice()

    public nonisolated static let batteryLevelDidChangeNotification = NSNotification.Name(
        "UIDeviceBatteryLevelDidChangeNotification")
    public nonisolated static let batteryStateDidChangeNotification = NSNotification.Name(
        "UIDeviceBatteryStateDidChangeNotification")

    /// Stored without effect: the battery level is available regardless. Its notifications are never
    /// posted.
    public var isBatteryMonitoringEnabled = false

    /// From 0 to 1; -1 if it is unknown or the device has no battery.
    public var batteryLevel: Float {
        guard let percent = device.batteryPercent else { return -1 }
        return Float(percent) / 100
    }

    public var batteryState: BatteryState {
        guard let power = device.hasExternalPower else { return .unknown }
        guard power else { return .unplugged }
        return (device.batteryPercent ?? 100) >= 100 ? .full : .charging
    }

    public var name: String { ProcessInfo.processInfo.hostName }
    public var model: String { "Linux" }
    public var localizedModel: String { model }
    public var systemName: String { "Linux" }
    public var systemVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }
    public var userInterfaceIdiom: UserInterfaceIdiom { .unspecified }
    /// nil: bgrun does not identify the device to apps.
    public var identifierForVendor: UUID? { nil }
    public var isMultitaskingSupported: Bool { true }

    private var device: PluginDevice { PluginRuntime.current.device }
}
