// SPDX-License-Identifier: Apache-2.0

/// The kind of a task; it decides the required mode and the time limit.
package enum TaskKind: UInt8, Sendable, Named {
    /// A short update, about 30 seconds (Apple: BGAppRefreshTask). Needs mode `fetch`.
    case appRefresh = 1
    /// Maintenance that takes minutes (Apple: BGProcessingTask). Needs mode `processing`.
    case processing = 2
    /// A wake-up by a message, about 30 seconds (Apple: silent push). Needs mode `remote-notification`.
    case push = 3
    /// Work that a person started, with visible progress (Apple: BGContinuedProcessingTask).
    case continued = 4
    /// Work of an app after the end of a transfer, about 30 seconds (Apple: handleEventsForBackgroundURLSession).
    case transfer = 5

    /// The word in the manifest and in every table.
    package var name: String {
        switch self {
        case .appRefresh: "app-refresh"
        case .processing: "processing"
        case .push: "push"
        case .continued: "continued"
        case .transfer: "transfer"
        }
    }

    /// Whether waiting requests are cancelled when a person removes the app: continued work, and pushes (Apple).
    package var endsWithForceQuit: Bool { self == .continued || self == .push }

    /// Whether a task of this kind accepts requests of `kind`. Push and transfer tasks accept any kind, since Apple
    /// does not have such tasks.
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

/// A type with a word for each case.
package protocol Named: CaseIterable {
    var name: String { get }
}

extension Named {
    package init?(name: String) {
        guard let named = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = named
    }
}
