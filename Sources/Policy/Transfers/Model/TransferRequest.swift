// SPDX-License-Identifier: Apache-2.0

/// A request to transfer one file over HTTP, as it was submitted. It does not change afterwards.
package struct TransferRequest: Equatable, Sendable, Codable {
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
    /// Absolute. For an upload, the file to send; for a download its destination, or nil: it is handed over as a
    /// temporary file.
    package var file: String?
    /// The directory that the path of `file` must not leave, not even by a link; nil: it may lead anywhere.
    package var within: String?
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
    /// A connection without data for this time is given up (Apple: timeoutIntervalForRequest).
    package var requestTimeout = Interval.seconds(60)
    /// The transfer fails if it is not complete this long after its start (Apple: timeoutIntervalForResource).
    package var resourceTimeout = Interval.days(7)
    /// The sizes in bytes that its author expects (Apple: countOfBytesClientExpectsToSend and ...ToReceive); nil: unknown.
    package var expectedToSend: Int64?
    package var expectedToReceive: Int64?
    /// The maximum rate in bytes per second; nil: no limit.
    package var rate: Int64?
    /// The maximum size of a download in bytes; nil: the value of the policy.
    package var maxSize: Int64?
    /// True: a response with any status ends it successfully, and the body is the file (Apple: every session behaves
    /// this way). Nil, false: any status other than success is a failure.
    package var acceptsAnyStatus: Bool?
    /// True: a temporary file that its app does not move is kept for the user.
    package var keepsFile: Bool?
    /// The maximum number of connections to its host, including those of other transfers; nil: the policy's.
    package var connections: Int?
    package var retry = Retry()
    /// A private file: `user:password`, or `Bearer TOKEN`.
    package var credentials: String?
    /// PEM files: the client's certificate and its private key, which is a private file.
    package var certificate: String?
    package var key: String?
    /// A PEM file of the authorities that may sign the server's certificate; nil: the system's.
    package var authorities: String?
    /// False: accepts any certificate. Shown wherever the transfer is.
    package var verifiesServer = true
    /// Nil: the proxy of the environment, if any.
    package var proxy: String?
    /// The entity tag of the local file: the server does not send an unchanged file again.
    package var unlessTag: String?
    /// The state that `cancel` kept of an earlier transfer, to resume it (Apple: resumeData).
    package var resume: Resume?
    /// The task that is submitted when the transfer has brought something new, instead of the session's; nil: none.
    package var then: String?
    /// The task that is submitted when the transfer has failed; nil: none.
    package var onFailure: String?

    package struct Header: Equatable, Sendable, Codable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The retries after a failure that may be temporary.
    package struct Retry: Equatable, Sendable, Codable {
        /// The delay after the first failure; doubled after each further one.
        package var from: Interval
        package var to: Interval
        /// The maximum number of attempts; nil: until the resource timeout.
        package var attempts: Int?

        package init(
            from: Interval = .seconds(10), to: Interval = .hours(5), attempts: Int? = nil
        ) {
            self.from = from
            self.to = to
            self.attempts = attempts
        }
    }

    /// An already received part of a download.
    package struct Resume: Equatable, Sendable, Codable {
        /// The file with the part; the transfer takes it over.
        package var file: String
        /// The server's name for its version: a strong entity tag, or the date of its last change.
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
