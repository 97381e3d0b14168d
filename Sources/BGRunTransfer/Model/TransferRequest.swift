// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// A wish to move one file over HTTP, as it was submitted. It does not change afterwards.
public struct TransferRequest: Hashable, Sendable, Codable {
    public enum Direction: String, Sendable, Codable {
        case download
        case upload
    }

    /// The name that groups transfers of an app (Apple: the background session's identifier).
    public var session: String
    public var direction: Direction
    /// `http:` or `https:`.
    public var url: String
    /// Nil: GET for a download, PUT for an upload.
    public var method: String?
    public var headers: [Header] = []
    /// Absolute. Of an upload the file that is sent; of a download where it is put, or nil: it is handed
    /// over as a temporary file.
    public var file: String?
    /// The digest the whole file must have: 64 lower-case hexadecimal digits.
    public var sha256: String?
    /// For people (Apple: taskDescription).
    public var note: String?
    /// Not before this date (Apple: earliestBeginDate).
    public var earliest: WallTime?
    /// Waits for external power and an unmetered network, and pauses without (Apple: isDiscretionary).
    public var isDiscretionary = false
    /// May use a metered network (Apple: allowsCellularAccess, allowsExpensiveNetworkAccess).
    public var allowsMetered = true
    /// The app is launched when the session's transfers have finished (Apple: sessionSendsLaunchEvents).
    public var sendsLaunchEvents = true
    /// It is given up on a connection when nothing came for so long (Apple: timeoutIntervalForRequest).
    public var requestTimeout = Interval.seconds(60)
    /// It fails when it is not done so long after it was first begun (Apple:
    /// timeoutIntervalForResource).
    public var resourceTimeout = Interval.days(7)
    /// Bytes its author expects (Apple: countOfBytesClientExpectsToSend and ...ToReceive); nil: unknown.
    public var expectedToSend: Int64?
    public var expectedToReceive: Int64?
    /// Bytes a second at most; nil: no limit.
    public var rate: Int64?
    /// The maximum size of a download in bytes; nil: the value of the policy.
    public var maxSize: Int64?
    /// True: a response of any status ends it successfully, and its body is the file (Apple: every
    /// session behaves this way). Nil, false: any other status than success is a failure.
    public var acceptsAnyStatus: Bool?
    /// True: a temporary file that its app does not move is kept for the user.
    public var keepsFile: Bool?
    /// Connections to its host at a time, those of other transfers included; nil: the policy's.
    public var connections: Int?
    public var retry = Retry()
    /// A private file: `user:password`, or `Bearer TOKEN`.
    public var credentials: String?
    /// PEM files: the client's certificate and its private key, which is a private file.
    public var certificate: String?
    public var key: String?
    /// A PEM file of the authorities that may have signed the server's certificate; nil: the system's.
    public var authorities: String?
    /// False: any certificate will do. Said aloud wherever the transfer is.
    public var verifiesServer = true
    /// Nil: that of the environment, if any.
    public var proxy: String?
    /// The entity tag of the file that is there: one that has not changed is not sent again.
    public var unlessTag: String?
    /// What `cancel` left of an earlier transfer, to go on from (Apple: resumeData).
    public var resume: Resume?
    /// The task that is submitted when it has brought something new, in place of the session's; nil:
    /// none.
    public var then: String?
    /// The task that is submitted when it has failed; nil: none.
    public var onFailure: String?

    public struct Header: Hashable, Sendable, Codable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What follows a failure that another try may mend.
    public struct Retry: Hashable, Sendable, Codable {
        /// After the first failure; doubled after each further one.
        public var from: Interval
        public var to: Interval
        /// Tries in all; nil: until the resource timeout.
        public var attempts: Int?

        public init(
            from: Interval = .seconds(10), to: Interval = .hours(5), attempts: Int? = nil
        ) {
            self.from = from
            self.to = to
            self.attempts = attempts
        }
    }

    /// A part of a download that is there already.
    public struct Resume: Hashable, Sendable, Codable {
        /// The file that holds it; it is taken over.
        public var file: String
        /// What the server called its version: a strong entity tag, or the date of its last change.
        public var validator: String

        public init(file: String, validator: String) {
            self.file = file
            self.validator = validator
        }
    }

    public init(session: String, direction: Direction, url: String, file: String? = nil) {
        self.session = session
        self.direction = direction
        self.url = url
        self.file = file
    }
}

extension Interval: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try Int64(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try nanoseconds.encode(to: encoder)
    }
}

extension WallTime: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try Int64(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try milliseconds.encode(to: encoder)
    }
}
