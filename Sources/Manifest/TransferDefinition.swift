// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One entry of `transfers:`: a file that is fetched or sent by the transfer service.
package struct TransferDefinition: Hashable, Sendable {
    /// Its name, and the name of its session.
    package var name: String
    package var direction: Direction
    /// The address, http or https, without a user.
    package var url: String
    /// The absolute path of what is written, or sent.
    package var file: String
    /// The request's method.
    package var method: String
    /// The SHA-256 a download must have, 64 lower-case hexadecimal digits; nil when not given.
    package var sha256: String?
    /// Whether it waits for an unmetered network and external power.
    package var isDiscretionary = false
    /// Whether it may use a metered network.
    package var allowsMetered = true
    /// So long after it was finished it is done again; nil for once.
    package var every: Interval?
    /// What is submitted when it has succeeded, and brought something new.
    package var then: String?
    /// What is submitted when it was given up.
    package var onFailure: String?
    /// Bytes a second; nil for no limit.
    package var rate: Int64?
    /// The maximum size of a download in bytes; nil: the value of the policy.
    package var maxSize: Int64?
    /// At most so many connections to its host at a time; nil for what the policy says.
    package var connections: Int?
    /// Without a byte for so long, a try is over; nil for the default.
    package var requestTimeout: Interval?
    /// So long after it was submitted it is given up; nil for the default.
    package var resourceTimeout: Interval?
    /// Sent with the request, in the order of the file.
    package var headers: [Header] = []
    /// The absolute path of a private file of `user:password` or `Bearer ...`.
    package var credentialsFile: String?
    /// The absolute paths of a client certificate and its key, PEM.
    package var certificate: Certificate?
    /// The absolute path of the certificates that are trusted, PEM; nil for the system's.
    package var authoritiesFile: String?
    package var proxy: String?
    /// So long after it was submitted it may begin.
    package var earliest: Interval = .zero
    package var retry: Retry?
    /// Whether the server's certificate is not looked at.
    package var isInsecure = false
    /// Where the manifest declares it.
    package var mark: SourceMark

    package enum Direction: String, Hashable, Sendable {
        case download, upload
    }

    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package struct Certificate: Hashable, Sendable {
        package var file: String
        package var key: String
    }

    /// What becomes of a failure that may pass; nil is the default of the transfer service.
    package struct Retry: Hashable, Sendable {
        /// The first delay; it doubles.
        package var from: Interval?
        /// The longest delay.
        package var to: Interval?
        /// Tries in all.
        package var attempts: Int?

        package init(from: Interval? = nil, to: Interval? = nil, attempts: Int? = nil) {
            self.from = from
            self.to = to
            self.attempts = attempts
        }
    }

    package init(
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
