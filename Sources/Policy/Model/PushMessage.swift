// SPDX-License-Identifier: Apache-2.0

/// A silent push that was accepted and is held until an attempt has dealt with it (Apple: a background notification).
package struct PushMessage: Hashable, Sendable {
    /// Rises from message to message of an app, in the order they were accepted.
    package var id: Int64
    /// Of the task it is for.
    package var identifier: String
    /// The whole payload, a JSON object with `aps` in it.
    package var payload: String
    /// A newer message of the same id takes its place (APNs: apns-collapse-id); nil for none.
    package var collapseID: String?
    /// APNs: 5 for a silent push.
    package var priority: Int
    package var received: WallTime
    /// It is obsolete from this date on; nil for never.
    package var expires: WallTime?
    /// The request it has made.
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

/// A message as it was received, before it is checked.
package struct PushOffer: Hashable, Sendable {
    package var identifier: String
    /// The payload as it is stored, a JSON object.
    package var payload: String
    /// Bytes of the payload as it was sent.
    package var payloadBytes: Int
    /// The object `aps` of the payload; nil if it is missing.
    package var aps: APS?
    package var collapseID: String?
    package var priority: Int
    /// Whether its sender gave no priority, so that it is the one of the source.
    package var lacksPriority = false
    package var expires: WallTime?

    /// The part of a payload that is Apple's.
    package struct APS: Hashable, Sendable {
        package var isContentAvailable: Bool
        /// The keys that would show something: `alert`, `badge`, `sound`; in this order.
        package var shown: [String]

        package init(isContentAvailable: Bool, shown: [String] = []) {
            self.isContentAvailable = isContentAvailable
            self.shown = shown
        }
    }

    /// The payload that says nothing but that it is silent.
    package static let empty = "{\"aps\":{\"content-available\":1}}"

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

/// What a push has brought, as the handler says (Apple: UIBackgroundFetchResult, and its numbers).
package enum FetchResult: UInt32, Hashable, Sendable, Named {
    case newData = 0
    case noData = 1
    case failed = 2

    /// As it is stored and shown: `new-data`, `no-data`, `failed`.
    package var name: String {
        switch self {
        case .newData: "new-data"
        case .noData: "no-data"
        case .failed: "failed"
        }
    }
}

package struct PushReceipt: Hashable, Sendable {
    /// Of the message.
    package var id: Int64
    package var identifier: String
    /// The request it has made.
    package var request: TaskRequest
    /// Messages that are held for the task now, this one among them.
    package var held: Int

    package init(id: Int64, identifier: String, request: TaskRequest, held: Int) {
        self.id = id
        self.identifier = identifier
        self.request = request
        self.held = held
    }
}
