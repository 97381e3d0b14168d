// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims
import Glibc

/// One try of a download, which resumes from the received part.
final class DownloadRun: TransferRun {
    private var file: PartialFile?
    private var question = ResumeRule.Question.whole
    private var take: ResumeRule.Take?
    /// The number of received bytes.
    private var position: Int64 = 0
    /// Whether some of them are from an earlier try: they may be the cause of a wrong digest.
    private var isResumed = false
    private var hasAskedAgain = false
    /// The bytes that are on the disk or being synced, and since when.
    private var syncing: Int64 = 0
    private var syncedAt = bgrun_boottime_ns()
    /// The offset at which the free disk space was last checked, while the length is unknown.
    private var lookedAt: Int64 = 0

    /// The number of bytes after which they are synced.
    private static let syncBytes: Int64 = 64 << 20

    // MARK: the part

    private struct Part: Sendable {
        var file: PartialFile
        /// The part of an earlier transfer that was taken over.
        var resume: TransferRequest.Resume?
        var size: Int64
    }

    override func start() {
        let (places, boot) = (entry.places, service.boot)
        let progress = entry.progress
        let resume = progress.validator == nil && progress.bytes == 0 ? entry.request.resume : nil
        let replaced = places.isChosen ? places.final : nil
        service.disk.run(for: entry.id) {
            Result { () throws(TransferProblem) in
                // Creates the directories, too.
                let directory = try places.openDirectory(creating: true)
                var part = Part(
                    file: try PartialFile(places.partial, replacing: replaced, in: directory),
                    size: 0)
                if let resume, TakenOver.move(resume, to: places, in: directory) {
                    part.file = try PartialFile(
                        places.partial, replacing: replaced, in: directory)
                    part.resume = resume
                    part.size = part.file.size
                } else {
                    part.size = ResumeRule.reliable(size: part.file.size, of: progress, boot: boot)
                }
                let missing = progress.total.map { max(0, $0.saturatingSubtracting(part.size)) }
                if missing != 0 { try part.file.checkSpace(for: missing) }
                return part
            }
        } then: { [weak self] result in
            self?.opened(result)
        }
        service.begun(self)
    }

    private func opened(_ result: Result<Part, TransferProblem>) {
        do throws(TransferProblem) {
            let part = try result.get()
            file = part.file
            if let resume = part.resume { entry.progress.validator = resume.validator }
            try go(on: part.size)
        } catch {
            service.failed(self, error)
        }
    }

    private func go(on size: Int64) throws(TransferProblem) {
        guard let file else { return }
        let hasDigest = entry.request.sha256 != nil
        question = ResumeRule.question(having: size, of: entry.progress, hasDigest: hasDigest)
        position = question.offset
        syncing = position
        isResumed = position > 0
        entry.reach(position)
        entry.progress.syncedBytes = min(entry.progress.syncedBytes, position)
        entry.progress.boot = service.boot
        // The stored row may still count the rest as valid, since the database did not accept a newer one.
        if size > position { try service.storeNow(entry) }
        try file.truncate(to: position)
        if position > 0, position == entry.progress.total {
            finish(file, sha256: entry.request.sha256)
        } else {
            ask()
        }
    }

    /// Discards the received part and requests the whole file.
    private func beginAnew() {
        question = .whole
        hasAskedAgain = true
        do throws(TransferProblem) {
            try empty()
            ask()
        } catch {
            service.failed(self, error)
        }
    }

    /// Stores that the part is invalid before other bytes replace it: otherwise, after a kill in between, they might be
    /// taken for bytes of the previous version.
    private func empty() throws(TransferProblem) {
        position = 0
        syncing = 0
        lookedAt = 0
        isResumed = false
        entry.reach(0)
        entry.progress.syncedBytes = 0
        entry.progress.resumedAt = nil
        entry.progress.total = nil
        entry.progress.validator = nil
        try service.storeNow(entry)
        try file?.truncate(to: 0)
    }

    // MARK: the answer

    override var extraFields: [TransferRequest.Header] {
        let condition = entry.request.unlessTag.map {
            [TransferRequest.Header("If-None-Match", $0)]
        }
        return question.fields + (condition ?? [])
    }

    override func accept(_ head: ResponseHead) throws(TransferProblem) -> Bool {
        let take = ResumeRule.take(
            head, for: question, isConditional: entry.request.unlessTag != nil,
            acceptsAnyStatus: entry.request.acceptsAnyStatus == true)
        self.take = take
        switch take {
        case .append(let total):
            entry.progress.resumedAt = question.offset
            try expect(total, head)
        case .replace(let total):
            if position > 0 { try empty() }
            try expect(total, head)
        case .nothingMissing, .askAgain, .unchanged, .refuse:
            return false
        }
        return true
    }

    private func expect(_ total: Int64?, _ head: ResponseHead) throws(TransferProblem) {
        var progress = entry.progress
        progress.total = total
        progress.validator =
            ResumeRule.validator(of: head) ?? (position > 0 ? progress.validator : nil)
        progress.tag = head["etag"]
        progress.responseHeaders = head.json
        progress.failure = nil
        progress.problem = nil
        entry.progress = progress
        service.changed(entry)
        try checkSize(total: total)
        if let total { try file?.checkSpace(for: max(0, total.saturatingSubtracting(position))) }
    }

    private func checkSize(total: Int64?) throws(TransferProblem) {
        let limit = SizeRule.limit(entry.request, service.policy)
        guard SizeRule.isTooLarge(bytes: position, total: total, limit: limit) else { return }
        throw TransferProblem(
            .tooLarge,
            "the file has over \(limit) bytes; raise `max_size` of the transfer if that is right")
    }

    override func keep(_ body: UnsafeRawBufferPointer) throws(TransferProblem) {
        try file?.write(body, at: position)
        position += Int64(body.count)
        entry.reach(position)
        if position - lookedAt >= SizeRule.lookEvery, entry.progress.total == nil {
            lookedAt = position
            try file?.checkSpace(for: nil)
        }
        try checkSize(total: nil)
        if position - syncing >= Self.syncBytes { syncSoon() }
    }

    /// Syncs the received part outside the loop's thread, so that it survives a power failure.
    func syncSoon() {
        guard let file, position > syncing else { return }
        let reached = position
        syncing = reached
        syncedAt = bgrun_boottime_ns()
        service.disk.run(for: entry.id) {
            Result { () throws(TransferProblem) in try file.sync() }
        } then: { [weak self] result in
            // A file that has restarted meanwhile has fewer bytes.
            guard let self, case .success = result, reached <= position, syncing >= reached else {
                return
            }
            entry.progress.syncedBytes = reached
            service.note(entry)
        }
    }

    /// Syncs it if the last sync is old enough.
    func syncIfDue(_ now: Int64, _ pause: Int64) { if now - syncedAt >= pause { syncSoon() } }

    override func sync() {
        guard let file, case .success = Result(catching: { try file.sync() }) else { return }
        entry.progress.syncedBytes = position
    }

    override func conclude(_ head: ResponseHead, _ problem: TransferProblem?) {
        switch take {
        case .append, .replace:
            if let problem { return service.failed(self, problem) }
            guard
                let failure = ResumeRule.shortfall(bytes: position, total: entry.progress.total),
                let total = entry.progress.total
            else { return finishFile() }
            let sentence = "the answer has \(position) bytes and should have \(total)"
            if failure == .wrongLength { try? empty() }
            service.failed(self, TransferProblem(failure, sentence))
        case .nothingMissing:
            finishFile()
        case .askAgain where !hasAskedAgain:
            beginAnew()
        case .unchanged:
            entry.progress.tag = head["etag"] ?? entry.request.unlessTag
            service.finished(self, .unchanged)
        case .refuse(.status):
            service.failed(self, TransferProblem(status: head))
        case .askAgain, .refuse, nil:
            service.failed(
                self,
                TransferProblem(
                    .badAnswer,
                    "the server's answer (\(head.status)) does not fit what it was asked for"))
        }
    }

    private func finishFile() {
        guard let file else { return }
        entry.progress.total = position
        // The digest is that of the file, not of an error page.
        let isFile = (200..<300).contains(head?.status ?? 0) || take == .nothingMissing
        finish(file, sha256: isFile ? entry.request.sha256 : nil)
    }

    override func retries(_ problem: TransferProblem) -> Bool {
        guard problem.failure == .wrongDigest, isResumed, !hasAskedAgain else { return false }
        beginAnew()
        return true
    }
}

extension TransferProblem {
    /// A response whose status is a failure.
    init(status head: ResponseHead) {
        let advice =
            switch head.status {
            case 401: "; give it the right credentials"
            case 403: "; ask its operator for permission"
            case 404, 410: "; correct the address"
            case 407: "; put the proxy's credentials into its address"
            case 413: "; the file is too large for it"
            default: ""
            }
        self.init(
            .status, "the server answers \(head.status)\(advice)", status: head.status,
            retryAfter: head["retry-after"])
    }
}
