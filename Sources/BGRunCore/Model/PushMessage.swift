// SPDX-License-Identifier: Apache-2.0

/// A silent push that was accepted and is held until an attempt has dealt with it (Apple: a background
/// notification).
public struct PushMessage: Hashable, Sendable {
    /// Rises from message to message of an app, in the order they were accepted.
    public var id: Int64
    /// Of the task it is for.
    public var identifier: String
    /// The whole payload, a JSON object with `aps` in it.
    public var payload: String
    /// A newer message of the same id takes its place (APNs: apns-collapse-id); nil for none.
    public var collapseID: String?
    /// APNs: 5 for a silent push.
    public var priority: Int
    public var received: WallTime
    /// It is obsolete from this date on; nil for never.
    public var expires: WallTime?
    /// The request it has made.
    public var request: Int64

    public init(
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
public struct PushOffer: Hashable, Sendable {
    public var identifier: String
    /// The payload as it is stored, a JSON object.
    public var payload: String
    /// Bytes of the payload as it was sent.
    public var payloadBytes: Int
    /// The object `aps` of the payload; nil if it is missing.
    public var aps: APS?
    public var collapseID: String?
    public var priority: Int
    public var expires: WallTime?

    /// The part of a payload that is Apple's.
    public struct APS: Hashable, Sendable {
        /// Whether `content-available` is 1.
        public var isContentAvailable: Bool
        /// The keys that would show something: `alert`, `badge`, `sound`; in this order.
        public var shown: [String]

        public init(isContentAvailable: Bool, shown: [String] = []) {
            self.isContentAvailable = isContentAvailable
            self.shown = shown
        }
    }

    /// The payload that says nothing but that it is silent.
    public static let empty = "{\"aps\":{\"content-available\":1}}"

    public init(
        identifier: String, payload: String, payloadBytes: Int, aps: APS?,
        collapseID: String? = nil, priority: Int = PushRule.silentPriority,
        expires: WallTime? = nil
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
public enum FetchResult: UInt32, Hashable, Sendable, CaseIterable {
    case newData = 0
    case noData = 1
    case failed = 2

    /// As it is stored and shown: `new-data`, `no-data`, `failed`.
    public var name: String {
        switch self {
        case .newData: "new-data"
        case .noData: "no-data"
        case .failed: "failed"
        }
    }

    public init?(name: String) {
        guard let result = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = result
    }
}

/// What was taken in.
public struct PushReceipt: Hashable, Sendable {
    /// Of the message.
    public var id: Int64
    public var identifier: String
    /// The request it has made.
    public var request: TaskRequest
    /// Messages that are held for the task now, this one among them.
    public var held: Int

    public init(id: Int64, identifier: String, request: TaskRequest, held: Int) {
        self.id = id
        self.identifier = identifier
        self.request = request
        self.held = held
    }
}
