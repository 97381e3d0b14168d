// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

/// What has ended, on its way to the delegate.
extension BackgroundSession {
    /// Delivers what has ended, once the app was told that it will be. The attempt stays open
    /// meanwhile, whatever the app does.
    func deliverEvents(in attempt: PluginTask, isAnnounced: Bool) {
        let isFirst = state.withLock { state in
            defer { state.delivering = attempt }
            return state.delivering !== attempt
        }
        guard isFirst, attempt.hasTransfers else { return }
        attempt.hold()
        attempt.handlerReturned.whenSent { [self] in
            Thread.detachNewThread { [self] in
                runtime.withCurrent { deliverAll(in: attempt, isAnnounced: isAnnounced) }
                attempt.release()
            }
        }
    }

    private func deliverAll(in attempt: PluginTask, isAnnounced: Bool) {
        do throws(PluginHostError) {
            let hasAll = try attempt.takeEndedTransfers(ofSession: identifier) { transfer in
                guard !attempt.isExpired else { return false }
                deliver(transfer)
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

    /// Returns when the delegate has.
    private func deliver(_ transfer: PluginTransfer) {
        let task = task(for: transfer)
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
            (delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, didSendBodyData: transfer.sent,
                totalBytesSent: transfer.sent,
                totalBytesExpectedToSend: transfer.expectedToSend ?? transfer.sent)
        } else if let download = task as? URLSessionDownloadTask, let file = transfer.file,
            // One that is gone was taken in an attempt that crashed afterwards.
            FileManager.default.fileExists(atPath: file)
        {
            let delegate = delegate as? any URLSessionDownloadDelegate
            delegate?.urlSession(
                session, downloadTask: download, didWriteData: transfer.received,
                totalBytesWritten: transfer.received,
                totalBytesExpectedToWrite: transfer.expectedToReceive ?? transfer.received)
            delegate?.urlSession(
                session, downloadTask: download,
                didFinishDownloadingTo: URL(fileURLWithPath: file))
        }
    }
}
