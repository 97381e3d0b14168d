// SPDX-License-Identifier: Apache-2.0

/// What a task request asks for; it decides the mode it needs and the time it is granted.
public enum TaskKind: UInt8, Sendable, CaseIterable {
    /// A short update, about 30 seconds (Apple: BGAppRefreshTask). Needs mode `fetch`.
    case appRefresh = 1
    /// Maintenance that takes minutes (Apple: BGProcessingTask). Needs mode `processing`.
    case processing = 2
    /// A wake-up by a message, about 30 seconds (Apple: silent push). Needs mode
    /// `remote-notification`.
    case push = 3

    /// The word of the manifest and of every table.
    public var name: String {
        switch self {
        case .appRefresh: "app-refresh"
        case .processing: "processing"
        case .push: "push"
        }
    }

    public init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The background mode an app must declare to use this kind.
    public var requiredMode: Mode {
        switch self {
        case .appRefresh: .fetch
        case .processing: .processing
        case .push: .remoteNotification
        }
    }
}

/// A background mode an app declares (Apple: UIBackgroundModes).
public enum Mode: String, Sendable, CaseIterable {
    case fetch
    case processing
    case remoteNotification = "remote-notification"
}
