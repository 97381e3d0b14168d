// SPDX-License-Identifier: Apache-2.0

/// An accepted silent push, held until an attempt has processed it (Apple: a background notification).
package struct PushMessage: Equatable, Sendable {
    /// Increases with each message of an app, in the order of acceptance.
    package var id: Int64
    /// The identifier of the task.
    package var identifier: String
    /// The whole payload, a JSON object with `aps` in it.
    package var payload: String
    /// A newer message with the same id replaces it (APNs: apns-collapse-id); nil for none.
    package var collapseID: String?
    /// APNs: 5 for a silent push.
    package var priority: Int
    package var received: WallTime
    /// It is obsolete from this date on; nil for never.
    package var expires: WallTime?
    /// The request that it created.
    package var request: Int64

    package init(
        id: Int64, identifier: String, payload: String, collapseID: String? = nil,
        priority: Int = PushRule.silentPriority, received: WallTime, expires: WallTime? = nil,
        request: Int64 = 0
    ) {
        self.id = id
        self.identifier = identifier
        self.payload = payload
        self.collapseID = collapseID
        self.priority = priority
        self.received = received
        self.expires = expires
        self.request = request
    }
}

/// A received message before the checks.
package struct PushOffer: Equatable, Sendable {
    package var identifier: String
    /// The payload as it is stored, a JSON object.
    package var payload: String
    /// The size of the payload as it was sent, in bytes.
    package var payloadBytes: Int
    /// The object `aps` of the payload; nil if it is missing.
    package var aps: APS?
    package var collapseID: String?
    package var priority: Int
    /// Whether its sender gave no priority, so that it has the priority of the source.
    package var lacksPriority = false
    package var expires: WallTime?

    /// Apple's part of a payload.
    package struct APS: Equatable, Sendable {
        package var isContentAvailable: Bool
        /// The keys for visible notifications: `alert`, `badge`, `sound`; in this order.
        package var shown: [String]

        package init(isContentAvailable: Bool, shown: [String] = []) {
            self.isContentAvailable = isContentAvailable
            self.shown = shown
        }
    }

    /// The minimal payload of a silent push.
    package static let empty = JSONText.object([("aps", silentAPS)])
    /// Apple's part of it.
    package static let silentAPS = JSONText.object([("content-available", "1")])

    package init(
        identifier: String, payload: String, payloadBytes: Int, aps: APS?,
        collapseID: String? = nil, priority: Int = PushRule.silentPriority, expires: WallTime? = nil
    ) {
        self.identifier = identifier
        self.payload = payload
        self.payloadBytes = payloadBytes
        self.aps = aps
        self.collapseID = collapseID
        self.priority = priority
        self.expires = expires
    }
}

/// The result of a push as the handler reports it (Apple: UIBackgroundFetchResult, with its numbers).
package enum FetchResult: UInt32, Equatable, Sendable, Named {
    case newData = 0
    case noData = 1
    case failed = 2

    /// The word for storage and display: `new-data`, `no-data`, `failed`.
    package var name: String {
        switch self {
        case .newData: "new-data"
        case .noData: "no-data"
        case .failed: "failed"
        }
    }
}

package struct PushReceipt: Equatable, Sendable {
    /// The id of the message.
    package var id: Int64
    package var identifier: String
    /// The request that it created.
    package var request: TaskRequest
    /// The number of messages held for the task, including this one.
    package var held: Int

    package init(id: Int64, identifier: String, request: TaskRequest, held: Int) {
        self.id = id
        self.identifier = identifier
        self.request = request
        self.held = held
    }
}
