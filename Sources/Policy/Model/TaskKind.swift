// SPDX-License-Identifier: Apache-2.0

/// What a task request asks for; it decides the mode it needs and the time it is granted.
package enum TaskKind: UInt8, Sendable, Named {
    /// A short update, about 30 seconds (Apple: BGAppRefreshTask). Needs mode `fetch`.
    case appRefresh = 1
    /// Maintenance that takes minutes (Apple: BGProcessingTask). Needs mode `processing`.
    case processing = 2
    /// A wake-up by a message, about 30 seconds (Apple: silent push). Needs mode `remote-notification`.
    case push = 3
    /// Work a person has started, with progress to look at (Apple: BGContinuedProcessingTask).
    case continued = 4
    /// A transfer is over and its app is to look at it, about 30 seconds (Apple: handleEventsForBackgroundURLSession).
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

    /// Whether a person who removes the app cancels waiting requests: continued work, and pushes (Apple).
    package var endsWithForceQuit: Bool { self == .continued || self == .push }

    /// Whether a request for `kind` may be submitted for such a task: any for pushes and transfers (Apple has none).
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

/// What has a word for each case.
package protocol Named: CaseIterable {
    var name: String { get }
}

extension Named {
    package init?(name: String) {
        guard let named = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = named
    }
}
