// SPDX-License-Identifier: Apache-2.0

/// How a download resumes from its part, and which responses are valid for it (RFC 9110, 13 and 14).
package enum ResumeRule {
    /// The request to the server.
    package struct Question: Equatable, Sendable {
        /// The first missing byte; 0: the whole file.
        package var offset: Int64
        /// For If-Range: the server sends the rest only if the file is still this version.
        var validator: String?
        /// The length the file had when its part was received.
        var total: Int64?

        package init(offset: Int64 = 0, validator: String? = nil, total: Int64? = nil) {
            self.offset = offset
            self.validator = validator
            self.total = total
        }

        package static let whole = Question()

        package var fields: [TransferRequest.Header] {
            guard offset > 0 else { return [] }
            let range = TransferRequest.Header("Range", "bytes=\(offset)-")
            return [range] + (validator.map { [TransferRequest.Header("If-Range", $0)] } ?? [])
        }
    }

    /// The action for a response.
    package enum Take: Equatable, Sendable {
        /// The body follows the existing part.
        case append(total: Int64?)
        /// The body is the whole file: the part is discarded.
        case replace(total: Int64?)
        case nothingMissing
        /// Neither the part nor the body is usable: discard the part and request the whole file.
        case askAgain
        /// The server's file is the same as the local one.
        case unchanged
        /// The response is a failure.
        case refuse(TransferFailure)
    }

    /// The reliable bytes of a partial file: after another boot only those known to be on disk.
    package static func reliable(
        size: Int64, of progress: TransferProgress, boot: String
    ) -> Int64 {
        progress.boot == boot ? size : min(size, progress.syncedBytes)
    }

    /// The request when `bytes` exist: without a validator only the digest shows whether the rest belongs to them.
    package static func question(
        having bytes: Int64, of progress: TransferProgress, hasDigest: Bool
    ) -> Question {
        guard bytes > 0, progress.validator != nil || hasDigest else { return .whole }
        return Question(offset: bytes, validator: progress.validator, total: progress.total)
    }

    /// - Parameters:
    ///   - isConditional: If-None-Match was sent.
    ///   - acceptsAnyStatus: The body of a failure is also the file.
    package static func take(
        _ head: ResponseHead, for question: Question, isConditional: Bool,
        acceptsAnyStatus: Bool = false
    ) -> Take {
        // If the length were ignored, a truncated body would be taken for the complete file.
        if head.hasInvalidLength { return .refuse(.badAnswer) }
        switch head.status {
        case 206: return takePart(head, for: question)
        case 200..<300: return .replace(total: head.contentLength)
        case 304 where isConditional: return .unchanged
        case 304 where !acceptsAnyStatus: return .refuse(.badAnswer)
        case 416 where question.offset > 0:
            // With If-Range a changed file would have been sent whole.
            return question.validator != nil && head.contentRange?.total == question.offset
                && question.total ?? question.offset == question.offset
                ? .nothingMissing : .askAgain
        default: return acceptsAnyStatus ? .replace(total: head.contentLength) : .refuse(.status)
        }
    }

    private static func takePart(_ head: ResponseHead, for question: Question) -> Take {
        guard let range = head.contentRange, let part = range.part else {
            return question.offset > 0 ? .askAgain : .refuse(.badAnswer)
        }
        if question.offset == 0 {
            let isWhole = part.lowerBound == 0 && range.total == part.upperBound + 1
            return isWhole ? .replace(total: range.total) : .refuse(.badAnswer)
        }
        let length = part.upperBound - part.lowerBound + 1
        let isSame =
            part.lowerBound == question.offset
            && head.contentLength ?? length == length
            && (question.total == nil || range.total == nil || question.total == range.total)
            && !isOtherVersion(head, than: question.validator)
        return isSame ? .append(total: range.total ?? question.total) : .askAgain
    }

    /// A server that names another version has ignored If-Range.
    private static func isOtherVersion(_ head: ResponseHead, than validator: String?) -> Bool {
        guard let validator else { return false }
        let name = isStrong(validator) ? head["etag"] : head["last-modified"]
        return name.map { $0 != validator } ?? false
    }

    /// The validator of the file version in a response: a strong entity tag, or a date of last change old enough that
    /// the file cannot have changed twice at that date. Nil: it cannot be resumed.
    package static func validator(of head: ResponseHead) -> String? {
        if head["accept-ranges"]?.lowercased() == "none" { return nil }
        if let tag = head["etag"], isStrong(tag) { return tag }
        guard let text = head["last-modified"], let changed = HTTPDate.parse(text),
            let sent = head["date"].flatMap(HTTPDate.parse)
        else { return nil }
        return sent.milliseconds.saturatingSubtracting(changed.milliseconds) >= 1_000 ? text : nil
    }

    /// `W/"..."` means that two versions are equivalent, not that their bytes agree.
    static func isStrong(_ tag: String) -> Bool {
        tag.count >= 2 && tag.hasPrefix("\"") && tag.hasSuffix("\"")
    }

    /// The failure of a body that ended with a wrong length; nil if it is the whole file.
    package static func shortfall(bytes: Int64, total: Int64?) -> TransferFailure? {
        guard let total, bytes != total else { return nil }
        return bytes < total ? .connectionLost : .wrongLength
    }
}
