// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunPolicy

/// Decides about a transfer that the manifest declares, from the state of the last one of its name.
enum DeclarationRule {
    enum Decision: Equatable {
        /// It is in progress, or done.
        case nothing
        case submit(TransferRequest)
        /// It is in progress with another request: cancel that one, and keep its partial file.
        case replace(Int64)
    }

    enum Occasion: Equatable {
        /// A host starts: failed transfers are retried.
        case start
        /// A transfer has finished, or the manifest was changed.
        case news
    }

    /// - Parameters:
    ///   - last: The newest transfer of its name; nil if there was none.
    ///   - isThere: Whether its destination file exists.
    static func verdict(
        on declared: TransferRequest, every: Interval?, last: Transfer?, isThere: Bool,
        _ occasion: Occasion, at now: WallTime
    ) -> Decision {
        guard let last else { return .submit(declared) }
        let isSame = declared.says(same: last.request)
        guard let result = last.progress.result else {
            if last.wanted.isCancelled || isSame { return .nothing }
            return .replace(last.id)
        }
        let isOfSameFile = declared.isForSameFile(as: last.request)
        var next = declared
        switch result {
        case .completed, .unchanged:
            let isDone = isOfSameFile && (isThere || declared.direction == .upload)
            guard isDone else { return .submit(declared) }
            guard let every, let finished = last.progress.finished else { return .nothing }
            next.earliest = max(finished.advanced(by: every), declared.earliest ?? finished)
            if declared.direction == .download { next.unlessTag = last.progress.tag }
            return .submit(next)
        case .failed:
            if !isSame || occasion != .news { return .submit(declared) }
        case .cancelled:
            // By this rule because of a changed request, or by a force-quit.
            if last.wanted == .cancelledResumable {
                if isOfSameFile, let file = last.progress.file,
                    let validator = last.progress.validator
                {
                    next.resume = TransferRequest.Resume(file: file, validator: validator)
                }
                return .submit(next)
            }
            if !isOfSameFile { return .submit(declared) }
        }
        guard let every, let finished = last.progress.finished else { return .nothing }
        next.earliest = finished.advanced(by: every)
        return .submit(next)
    }
}

extension TransferRequest {
    /// Whether both requests are the same, except for their dates.
    fileprivate func says(same other: TransferRequest) -> Bool {
        var (mine, theirs) = (self, other)
        (mine.earliest, theirs.earliest) = (nil, nil)
        (mine.unlessTag, theirs.unlessTag) = (nil, nil)
        (mine.resume, theirs.resume) = (nil, nil)
        return mine == theirs
    }

    /// Whether both transfer the same bytes to the same place.
    fileprivate func isForSameFile(as other: TransferRequest) -> Bool {
        direction == other.direction && url == other.url && file == other.file
            && method == other.method && sha256 == other.sha256
    }
}
