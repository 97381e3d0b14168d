// SPDX-License-Identifier: Apache-2.0

/// A wish to move one file over HTTP, as it was submitted. It does not change afterwards.
package struct TransferRequest: Hashable, Sendable, Codable {
    package enum Direction: String, Sendable, Codable {
        case download
        case upload
    }

    /// The name that groups transfers of an app (Apple: the background session's identifier).
    package var session: String
    package var direction: Direction
    /// `http:` or `https:`.
    package var url: String
    /// Nil: GET for a download, PUT for an upload.
    package var method: String?
    package var headers: [Header] = []
    /// Absolute. Of an upload the file that is sent; of a download where it is put, or nil: it is handed
    /// over as a temporary file.
    package var file: String?
    /// The digest the whole file must have: 64 lower-case hexadecimal digits.
    package var sha256: String?
    /// For people (Apple: taskDescription).
    package var note: String?
    /// Not before this date (Apple: earliestBeginDate).
    package var earliest: WallTime?
    /// Waits for external power and an unmetered network, and pauses without (Apple: isDiscretionary).
    package var isDiscretionary = false
    /// May use a metered network (Apple: allowsCellularAccess, allowsExpensiveNetworkAccess).
    package var allowsMetered = true
    /// The app is launched when the session's transfers have finished (Apple: sessionSendsLaunchEvents).
    package var sendsLaunchEvents = true
    /// It is given up on a connection when nothing came for so long (Apple: timeoutIntervalForRequest).
    package var requestTimeout = Interval.seconds(60)
    /// It fails when it is not done so long after it was first begun (Apple: timeoutIntervalForResource).
    package var resourceTimeout = Interval.days(7)
    /// Bytes its author expects (Apple: countOfBytesClientExpectsToSend and ...ToReceive); nil: unknown.
    package var expectedToSend: Int64?
    package var expectedToReceive: Int64?
    /// Bytes a second at most; nil: no limit.
    package var rate: Int64?
    /// The maximum size of a download in bytes; nil: the value of the policy.
    package var maxSize: Int64?
    /// True: a response of any status ends it successfully, and its body is the file (Apple: every
    /// session behaves this way). Nil, false: any other status than success is a failure.
    package var acceptsAnyStatus: Bool?
    /// True: a temporary file that its app does not move is kept for the user.
    package var keepsFile: Bool?
    /// Connections to its host at a time, those of other transfers included; nil: the policy's.
    package var connections: Int?
    package var retry = Retry()
    /// A private file: `user:password`, or `Bearer TOKEN`.
    package var credentials: String?
    /// PEM files: the client's certificate and its private key, which is a private file.
    package var certificate: String?
    package var key: String?
    /// A PEM file of the authorities that may have signed the server's certificate; nil: the system's.
    package var authorities: String?
    /// False: any certificate will do. Said aloud wherever the transfer is.
    package var verifiesServer = true
    /// Nil: that of the environment, if any.
    package var proxy: String?
    /// The entity tag of the file that is there: one that has not changed is not sent again.
    package var unlessTag: String?
    /// What `cancel` left of an earlier transfer, to continue from (Apple: resumeData).
    package var resume: Resume?
    /// The task that is submitted when it has brought something new, in place of the session's; nil: none.
    package var then: String?
    /// The task that is submitted when it has failed; nil: none.
    package var onFailure: String?

    package struct Header: Hashable, Sendable, Codable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// What follows a failure that another try may mend.
    package struct Retry: Hashable, Sendable, Codable {
        /// After the first failure; doubled after each further one.
        package var from: Interval
        package var to: Interval
        /// Tries in all; nil: until the resource timeout.
        package var attempts: Int?

        package init(
            from: Interval = .seconds(10), to: Interval = .hours(5), attempts: Int? = nil
        ) {
            self.from = from
            self.to = to
            self.attempts = attempts
        }
    }

    /// A part of a download that is there already.
    package struct Resume: Hashable, Sendable, Codable {
        /// The file that holds it; it is taken over.
        package var file: String
        /// What the server called its version: a strong entity tag, or the date of its last change.
        package var validator: String

        package init(file: String, validator: String) {
            self.file = file
            self.validator = validator
        }
    }

    package init(session: String, direction: Direction, url: String, file: String? = nil) {
        self.session = session
        self.direction = direction
        self.url = url
        self.file = file
    }
}

extension Interval: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(nanoseconds: try Int64(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws { try nanoseconds.encode(to: encoder) }
}

extension WallTime: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(milliseconds: try Int64(from: decoder))
    }

    package func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}
