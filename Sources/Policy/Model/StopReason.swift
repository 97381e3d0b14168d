// SPDX-License-Identifier: Apache-2.0

/// Why an attempt's time was revoked. The raw values are those of `BGRUN_REASON_...` in `bgrun_plugin.h`, up to
/// `manifestChanged`, and are never reused.
package enum StopReason: UInt32, Sendable, Named {
    case time = 1
    case powerLost = 2
    case networkLost = 3
    case becameMetered = 4
    case userActive = 5
    case lowBattery = 6
    case lowPowerMode = 7
    case thermal = 8
    case pressure = 9
    case quota = 10
    case stalled = 11
    case preempted = 12
    case cancelled = 13
    case shutdown = 14
    case suspend = 15
    case manifestChanged = 16
    case shareReclaimed = 17
    // The time ended of an attempt that had to wait for a resource of the machine.
    case descriptorShortage = 18
    case processShortage = 19
    case memoryShortage = 20

    /// The word in every log line and table.
    package var name: String {
        switch self {
        case .time: "time"
        case .powerLost: "power-lost"
        case .networkLost: "network-lost"
        case .becameMetered: "became-metered"
        case .userActive: "user-active"
        case .lowBattery: "low-battery"
        case .lowPowerMode: "low-power-mode"
        case .thermal: "thermal"
        case .pressure: "pressure"
        case .quota: "quota"
        case .stalled: "stalled"
        case .preempted: "preempted"
        case .cancelled: "cancelled"
        case .shutdown: "shutdown"
        case .suspend: "suspend"
        case .manifestChanged: "manifest-changed"
        case .shareReclaimed: "share-reclaimed"
        case .descriptorShortage: "descriptor-shortage"
        case .processShortage: "process-shortage"
        case .memoryShortage: "memory-shortage"
        }
    }

    /// The `BGRUN_REASON_...` that a handler receives.
    package var told: UInt32 {
        switch self {
        case .shareReclaimed: StopReason.quota.rawValue
        case .descriptorShortage, .processShortage, .memoryShortage: StopReason.time.rawValue
        default: rawValue
        }
    }

    /// Whether the attempt counts as a failure. The handler causes timeouts and stalls; the system causes every other
    /// revocation, and the request becomes pending again unchanged.
    package var countsAsFailure: Bool {
        switch self {
        case .time, .stalled: true
        default: false
        }
    }

    package init(shortageOf resource: Resource) {
        self =
            switch resource {
            case .descriptors: .descriptorShortage
            case .processes: .processShortage
            case .memory: .memoryShortage
            }
    }

    /// The resource for which the attempt had to wait.
    package var shortage: Resource? {
        switch self {
        case .descriptorShortage: .descriptors
        case .processShortage: .processes
        case .memoryShortage: .memory
        default: nil
        }
    }
}
