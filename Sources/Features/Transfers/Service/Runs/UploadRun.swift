// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Glibc

/// One try of an upload, which always sends the whole file. The server's response becomes the
/// transfer's file.
final class UploadRun: TransferRun {
    private var source: UploadSource?
    private var position: Int64 = 0
    private var answer: [UInt8] = []
    private var isAccepted = false
    /// The file has changed while it was sent, so that the data on the server is invalid.
    private var isSpoiled = false

    /// The maximum number of bytes kept of a response.
    private static let longestAnswer = 65_536

    override func start() {
        service.begun(self)
        do throws(TransferProblem) {
            let source = try UploadSource(
                entry.request.file ?? "", in: FilePlaces.openDirectory(ofSource: entry.request))
            self.source = source
            entry.progress.total = source.size
        } catch {
            return service.failed(self, error)
        }
        entry.reach(0)
        // The response to an earlier try does not apply to this one.
        entry.progress.status = nil
        entry.progress.responseHeaders = nil
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
        isAccepted = (200..<300).contains(head.status) || entry.request.acceptsAnyStatus == true
        entry.progress.responseHeaders = head.json
        entry.progress.tag = head["etag"]
        service.changed(entry)
        // If the service were killed before this is stored, it would be sent twice.
        if isServed { try? service.storeNow(entry) }
        return isAccepted
    }

    /// The same for a run whose process was killed, based on its stored state.
    static func wasServed(_ entry: Entry) -> Bool {
        guard entry.request.direction == .upload, let status = entry.progress.status,
            entry.progress.responseHeaders != nil
        else { return false }
        return entry.progress.bytes == entry.progress.total
            && ((200..<300).contains(status) || entry.request.acceptsAnyStatus == true)
    }

    /// The server has confirmed the complete upload: only the rest of its response may be missing.
    override var isServed: Bool { isAccepted && !isSpoiled && position == source?.size }

    override func keep(_ body: UnsafeRawBufferPointer) throws(TransferProblem) {
        answer += body.prefix(max(0, Self.longestAnswer - answer.count))
    }

    override func conclude(_ head: ResponseHead, _ problem: TransferProblem?) {
        guard isAccepted else { return service.failed(self, TransferProblem(status: head)) }
        do throws(TransferProblem) {
            try source?.checkUnchanged()
        } catch {
            isSpoiled = true
            return service.failed(self, error)
        }
        if let problem { return service.failed(self, problem) }
        do throws(TransferProblem) {
            guard !answer.isEmpty else { return service.finished(self, .completed) }
            let file = try PartialFile(entry.places.partial, replacing: nil)
            try file.truncate(to: 0)
            try file.write(answer)
            finish(file, sha256: nil)
        } catch {
            service.failed(self, error)
        }
    }
}
