// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunManifest
import BGRunPolicy

/// What becomes of a transfer the manifest declares, by what has become of the last one of its name.
enum DeclarationRule {
    enum Decision: Hashable {
        /// It is under way, or done.
        case nothing
        case submit(TransferRequest)
        /// It is under way in another form: that one is cancelled, and what is there of it kept.
        case replace(Int64)
    }

    enum Occasion: Hashable {
        /// A host starts: what has failed is tried again.
        case start
        /// A transfer has finished, or the manifest was changed.
        case news
    }

    /// - Parameters:
    ///   - last: The newest transfer of its name; nil if there was no such transfer.
    ///   - isThere: Whether the file it was to become is there.
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
            // By this rule for the sake of another form, or by a force-quit.
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
    /// Whether both ask for the same in the same way, whenever.
    fileprivate func says(same other: TransferRequest) -> Bool {
        var (mine, theirs) = (self, other)
        (mine.earliest, theirs.earliest) = (nil, nil)
        (mine.unlessTag, theirs.unlessTag) = (nil, nil)
        (mine.resume, theirs.resume) = (nil, nil)
        return mine == theirs
    }

    /// Whether the same bytes go to the same place.
    fileprivate func isForSameFile(as other: TransferRequest) -> Bool {
        direction == other.direction && url == other.url && file == other.file
            && method == other.method && sha256 == other.sha256
    }
}
