// SPDX-License-Identifier: Apache-2.0

import BGRunTransfer
import Glibc

/// One try of an upload, which always sends the whole file. What the server answers becomes the
/// transfer's file.
final class UploadRun: TransferRun {
    private var source: UploadSource?
    private var position: Int64 = 0
    private var answer: [UInt8] = []
    private var isAccepted = false

    /// What is kept of an answer.
    private static let longestAnswer = 65_536

    override func start() {
        service.begun(self)
        do throws(TransferProblem) {
            let source = try UploadSource(entry.request.file ?? "")
            self.source = source
            entry.progress.total = source.size
        } catch {
            return service.failed(self, error)
        }
        entry.reach(0)
        ask()
    }

    override var uploadSize: Int64? { source?.size }

    override func send(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard let source else { return nil }
        noteActivity()
        do throws(TransferProblem) {
            let count = try source.read(into: buffer, at: position)
            position += Int64(count)
            entry.reach(position)
            service.moved(entry, count)
            return count
        } catch {
            fail(error)
            return nil
        }
    }

    override func rewind(to offset: Int64) -> Bool {
        position = offset
        return true
    }

    override func accept(_ head: ResponseHead) throws(TransferProblem) -> Bool {
        isAccepted = (200..<300).contains(head.status)
        entry.progress.responseHeaders = head.json
        entry.progress.tag = head["etag"]
        service.changed(entry)
        return isAccepted
    }

    override func keep(_ body: UnsafeRawBufferPointer) throws(TransferProblem) {
        answer += body.prefix(max(0, Self.longestAnswer - answer.count))
    }

    override func conclude(_ head: ResponseHead, _ problem: TransferProblem?) {
        guard isAccepted else { return service.failed(self, TransferProblem(status: head)) }
        if let problem { return service.failed(self, problem) }
        do throws(TransferProblem) {
            try source?.checkUnchanged()
            guard !answer.isEmpty else { return service.finished(self, .completed) }
            let file = try PartialFile(entry.places.partial, isShared: false)
            try file.truncate(to: 0)
            try file.write(answer)
            finish(file, sha256: nil)
        } catch {
            service.failed(self, error)
        }
    }
}
