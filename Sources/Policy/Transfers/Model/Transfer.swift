// SPDX-License-Identifier: Apache-2.0

/// A transfer as it is stored: the request, its wanted state, and its progress.
package struct Transfer: Equatable, Sendable, Identifiable {
    /// Increases with every transfer of an app and is never reused (Apple: taskIdentifier).
    package let id: Int64
    package let request: TransferRequest
    /// The name in the manifest; nil if a plugin or a person submitted it.
    package let name: String?
    package let submitted: WallTime
    /// Written by the host and by commands.
    package var wanted: Wanted
    /// Whether its end has been delivered to all recipients. Written by the host.
    package var isDelivered: Bool
    /// Written by the service alone.
    package var progress: TransferProgress

    package enum Wanted: String, Sendable, CaseIterable {
        case run
        /// Its app has suspended it, or has not resumed it yet (Apple: suspended).
        case suspended
        /// A person has paused it.
        case paused
        case cancelled
        /// The same, but keeps the received part to resume from (Apple: byProducingResumeData).
        case cancelledResumable = "cancelled-resumable"

        package var isCancelled: Bool { self == .cancelled || self == .cancelledResumable }
    }

    package init(
        id: Int64, request: TransferRequest, name: String? = nil, submitted: WallTime,
        wanted: Wanted = .run, isDelivered: Bool = false,
        progress: TransferProgress = TransferProgress()
    ) {
        self.id = id
        self.request = request
        self.name = name
        self.submitted = submitted
        self.wanted = wanted
        self.isDelivered = isDelivered
        self.progress = progress
    }

    package var isFinished: Bool { progress.result != nil }
}

/// The progress of a transfer.
package struct TransferProgress: Equatable, Sendable {
    /// Bytes of the body received or sent.
    package var bytes: Int64 = 0
    /// The length of the whole body; nil while it is unknown.
    package var total: Int64?
    /// Whether its connection is open or being opened.
    package var isRunning = false
    /// The date of its first start; nil: not started.
    package var began: WallTime?
    /// The time since then, limited by the resource timeout.
    package var activeTime = ActiveTime()
    /// Failures in a row that a retry may fix; received data resets the number.
    package var failures = 0
    /// The earliest date of the retry after a failure.
    package var retryAt: WallTime?
    /// The last failure; nil before the first.
    package var failure: TransferFailure?
    /// The failure as a sentence for people.
    package var problem: String?
    /// The last status of a server; nil: no response yet.
    package var status: Int?
    /// The server's name for this version of the file: a strong entity tag, or the date of its last change; nil: it
    /// cannot be resumed.
    package var validator: String?
    /// The entity tag, strong or weak, as it was sent; for `TransferRequest.unlessTag`.
    package var tag: String?
    /// Bytes of the partial file that are certain to be on disk.
    package var syncedBytes: Int64 = 0
    /// The offset at which a download last resumed; nil: it was not resumed.
    package var resumedAt: Int64?
    /// The boot in which the partial file was last written: after another one only `syncedBytes` count.
    package var boot: String?
    /// Absolute: the finished download, its own file or a temporary one; for a transfer cancelled to be resumed, the
    /// received part. Nil: none.
    package var file: String?
    /// The header of the response, as one JSON object.
    package var responseHeaders: String?
    /// Nil until it has finished.
    package var result: TransferResult?
    package var finished: WallTime?

    package init() {}
}

/// How a transfer ended.
package enum TransferResult: String, Sendable, CaseIterable {
    case completed
    /// The server's file is the same as the local one.
    case unchanged
    case failed
    case cancelled
}

/// The cause of a failure; a code for programs, `TransferProgress.problem` is for people.
package enum TransferFailure: String, Sendable, CaseIterable {
    case badURL = "bad-url"
    case cannotFindHost = "cannot-find-host"
    case cannotConnect = "cannot-connect"
    case connectionLost = "connection-lost"
    case timedOut = "timed-out"
    case tooManyRedirects = "too-many-redirects"
    case untrustedServer = "untrusted-server"
    case clientCertificate = "client-certificate"
    case badAnswer = "bad-answer"
    case status
    case wrongDigest = "wrong-digest"
    case wrongLength = "wrong-length"
    case tooLarge = "too-large"
    case noSpace = "no-space"
    case file
    case credentials
    case cancelled
}
