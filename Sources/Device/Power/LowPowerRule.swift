// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The power profiles as read from the bus.
enum ProfileSnapshot: Equatable, Sendable {
    /// The active profile of the daemon with this bus name.
    case active(String, daemon: String)
    /// The bus is available, the daemon is not.
    case noDaemon
    case noBus
    /// The bus is available, but libsystemd, which bgrun reads it with, cannot be loaded.
    case noLibrary(String)
}

/// Whether the user has asked to save power (Apple: Low Power Mode).
enum LowPowerRule {
    static func isOn(_ snapshot: ProfileSnapshot) -> Finding<Reading> {
        switch snapshot {
        case .active(let profile, let daemon):
            Finding(
                profile == "power-saver" ? .yes : .no, from: daemon, .measured,
                because: "the power profile is \"\(profile)\"")
        case .noDaemon:
            Finding(
                .no, from: "D-Bus", .assumed,
                because: "no power-profiles daemon runs, so no request to save power is possible")
        case .noBus:
            Finding(
                .unknown, from: "none", .unknown,
                because: "the system bus is missing; state `low_power_mode` in `device:`")
        case .noLibrary(let problem):
            Finding(
                .unknown, from: "none", .unknown,
                because: "the system bus cannot be read: \(problem); install libsystemd")
        }
    }
}
