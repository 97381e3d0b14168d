// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

/// The delivery of ended transfers to the delegate.
extension BackgroundSession {
    /// Delivers ended transfers after the app was notified of the delivery. The attempt stays open
    /// meanwhile, regardless of the app.
    func deliverEvents(in attempt: PluginTask, isAnnounced: Bool) {
        let isFirst = state.withLock { state in
            defer { state.delivering = attempt }
            return state.delivering !== attempt
        }
        guard isFirst, attempt.hasTransfers else { return }
        attempt.hold()
        countDelivery(1)
        attempt.handlerReturned.whenSent { [self] in
            Thread.detachNewThread { [self] in
                runtime.withCurrent { deliverAll(in: attempt, isAnnounced: isAnnounced) }
                countDelivery(-1)
                attempt.release()
            }
        }
    }

    private func deliverAll(in attempt: PluginTask, isAnnounced: Bool) {
        do throws(PluginHostError) {
            let hasAll = try attempt.takeEndedTransfers(ofSession: identifier) { transfer in
                guard !attempt.isExpired else { return false }
                deliver(transfer, in: attempt)
                return true
            }
            guard hasAll, isAnnounced else { return }
            tellAndWait { delegate, session in
                delegate.urlSessionDidFinishEvents(forBackgroundURLSession: session)
            }
        } catch {
            attempt.log(.error, "the events of session \(identifier) end here: \(error)")
        }
    }

    /// Returns after the delegate has returned.
    private func deliver(_ transfer: PluginTransfer, in attempt: PluginTask) {
        let task = task(for: transfer)
        switch answerChallenge(of: task, transfer, in: attempt) {
        case .retried: return
        case .cancelled:
            end(task, URLError(.cancelled))
            return forget(task, transfer.id)
        case .none: break
        }
        let error = task.finish(transfer)
        tellAndWait { delegate, session in
            if error == nil { Self.tellOfBytes(of: task, transfer, delegate, session) }
            (delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, didCompleteWithError: error)
        }
        forget(task, transfer.id)
    }

    private static func tellOfBytes(
        of task: URLSessionTask, _ transfer: PluginTransfer, _ delegate: any URLSessionDelegate,
        _ session: URLSession
    ) {
        if transfer.options.contains(.upload) {
            tellOfProgress(of: task, transfer, delegate, session)
            tellOfAnswer(of: task, transfer, delegate, session)
        } else if let download = task as? URLSessionDownloadTask, let file = transfer.file,
            // A missing file was taken in an attempt that crashed afterwards.
            FileManager.default.fileExists(atPath: file)
        {
            tellOfProgress(of: task, transfer, delegate, session)
            (delegate as? any URLSessionDownloadDelegate)?.urlSession(
                session, downloadTask: download,
                didFinishDownloadingTo: URL(fileURLWithPath: file))
        }
    }

    /// Reports the bytes transferred since the last notification of the delegate.
    static func tellOfProgress(
        of task: URLSessionTask, _ transfer: PluginTransfer, _ delegate: any URLSessionDelegate,
        _ session: URLSession
    ) {
        if transfer.options.contains(.upload) {
            guard let news = task.takeNews(transfer.sent, resumedAt: nil) else { return }
            (delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, didSendBodyData: news.bytes, totalBytesSent: transfer.sent,
                totalBytesExpectedToSend: transfer.expectedToSend ?? transfer.sent)
        } else if let download = task as? URLSessionDownloadTask,
            let delegate = delegate as? any URLSessionDownloadDelegate
        {
            let total = transfer.expectedToReceive ?? NSURLSessionTransferSizeUnknown
            guard let news = task.takeNews(transfer.received, resumedAt: transfer.resumedAt) else {
                return
            }
            if let offset = news.resumedAt {
                delegate.urlSession(
                    session, downloadTask: download, didResumeAtOffset: offset,
                    expectedTotalBytes: total)
            }
            guard news.bytes > 0 else { return }
            delegate.urlSession(
                session, downloadTask: download, didWriteData: news.bytes,
                totalBytesWritten: transfer.received,
                totalBytesExpectedToWrite: total)
        }
    }

    /// Passes the body of the server's response to an upload to the delegate.
    private static func tellOfAnswer(
        of task: URLSessionTask, _ transfer: PluginTransfer, _ delegate: any URLSessionDelegate,
        _ session: URLSession
    ) {
        guard let delegate = delegate as? any URLSessionDataDelegate,
            let upload = task as? URLSessionDataTask
        else { return }
        if let response = task.response {
            delegate.urlSession(session, dataTask: upload, didReceive: response) { _ in }
        }
        guard let file = transfer.answerFile,
            let data = FileManager.default.contents(atPath: file), !data.isEmpty
        else { return }
        delegate.urlSession(session, dataTask: upload, didReceive: data)
    }
}
