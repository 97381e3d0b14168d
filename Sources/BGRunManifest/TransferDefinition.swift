// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// One entry of `transfers:`: a file that is fetched or sent by the transfer service.
public struct TransferDefinition: Hashable, Sendable {
    /// Its name, and the name of its session.
    public var name: String
    public var direction: Direction
    /// The address, http or https, without a user.
    public var url: String
    /// The absolute path of what is written, or sent.
    public var file: String
    /// The request's method.
    public var method: String
    /// The SHA-256 a download must have, 64 lower-case hexadecimal digits; nil when not given.
    public var sha256: String?
    /// Whether it waits for an unmetered network and external power.
    public var isDiscretionary = false
    /// Whether it may use a metered network.
    public var allowsMetered = true
    /// So long after it was finished it is done again; nil for once.
    public var every: Interval?
    /// What is submitted when it has succeeded, and brought something new.
    public var then: String?
    /// What is submitted when it was given up.
    public var onFailure: String?
    /// Bytes a second; nil for no limit.
    public var rate: Int64?
    /// The maximum size of a download in bytes; nil: the value of the policy.
    public var maxSize: Int64?
    /// At most so many connections to its host at a time; nil for what the policy says.
    public var connections: Int?
    /// Without a byte for so long, a try is over; nil for the default.
    public var requestTimeout: Interval?
    /// So long after it was submitted it is given up; nil for the default.
    public var resourceTimeout: Interval?
    /// Sent with the request, in the order of the file.
    public var headers: [Header] = []
    /// The absolute path of a private file of `user:password` or `Bearer ...`.
    public var credentialsFile: String?
    /// The absolute paths of a client certificate and its key, PEM.
    public var certificate: Certificate?
    /// The absolute path of the certificates that are trusted, PEM; nil for the system's.
    public var authoritiesFile: String?
    public var proxy: String?
    /// So long after it was submitted it may begin.
    public var earliest: Interval = .zero
    public var retry: Retry?
    /// Whether the server's certificate is not looked at.
    public var isInsecure = false
    /// Where the manifest declares it.
    public var mark: SourceMark

    public enum Direction: String, Hashable, Sendable {
        case download, upload
    }

    public struct Header: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public struct Certificate: Hashable, Sendable {
        public var file: String
        public var key: String

        public init(file: String, key: String) {
            self.file = file
            self.key = key
        }
    }

    /// What becomes of a failure that may pass; nil is the default of the transfer service.
    public struct Retry: Hashable, Sendable {
        /// The first delay; it doubles.
        public var from: Interval?
        /// The longest delay.
        public var to: Interval?
        /// Tries in all.
        public var attempts: Int?

        public init(from: Interval? = nil, to: Interval? = nil, attempts: Int? = nil) {
            self.from = from
            self.to = to
            self.attempts = attempts
        }
    }

    public init(
        name: String, direction: Direction, url: String, file: String, method: String,
        mark: SourceMark
    ) {
        self.name = name
        self.direction = direction
        self.url = url
        self.file = file
        self.method = method
        self.mark = mark
    }
}
