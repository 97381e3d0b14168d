// SPDX-License-Identifier: Apache-2.0

/// What a task request asks for; it decides the mode it needs and the time it is granted.
package enum TaskKind: UInt8, Sendable, CaseIterable {
    /// A short update, about 30 seconds (Apple: BGAppRefreshTask). Needs mode `fetch`.
    case appRefresh = 1
    /// Maintenance that takes minutes (Apple: BGProcessingTask). Needs mode `processing`.
    case processing = 2
    /// A wake-up by a message, about 30 seconds (Apple: silent push). Needs mode
    /// `remote-notification`.
    case push = 3
    /// Work a person has started, with progress to look at (Apple: BGContinuedProcessingTask).
    case continued = 4
    /// A transfer is over and its app is to look at it, about 30 seconds (Apple:
    /// handleEventsForBackgroundURLSession).
    case transfer = 5

    /// The word of the manifest and of every table.
    package var name: String {
        switch self {
        case .appRefresh: "app-refresh"
        case .processing: "processing"
        case .push: "push"
        case .continued: "continued"
        case .transfer: "transfer"
        }
    }

    package init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// Whether waiting requests of this kind are cancelled when a person removes the app: continued work,
    /// which a person has started, and pushes, which are discarded (Apple).
    package var endsWithForceQuit: Bool { self == .continued || self == .push }

    /// Whether a request for `kind` may be submitted for a task of this kind. Apple has no requests
    /// for pushes and transfers, so any kind is accepted for those.
    package func accepts(requestsOf kind: TaskKind) -> Bool {
        self == kind || self == .push || self == .transfer
    }

    /// The background mode an app must declare to use this kind, if any.
    package var requiredMode: Mode? {
        switch self {
        case .appRefresh: .fetch
        case .processing: .processing
        case .push: .remoteNotification
        case .continued, .transfer: nil
        }
    }
}

/// A background mode an app declares (Apple: UIBackgroundModes).
package enum Mode: String, Sendable, CaseIterable {
    case fetch
    case processing
    case remoteNotification = "remote-notification"
}
