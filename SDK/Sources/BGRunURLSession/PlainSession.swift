// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import FoundationNetworking
import Synchronization

/// A session of FoundationNetworking that notifies the app's delegate of its tasks.
///
/// `@unchecked Sendable`: all state that changes after initialization is in `state`.
final class PlainSession: NSObject, @unchecked Sendable {
    private struct State {
        var session: URLSession?
        var delegate: (any URLSessionDelegate)?
        /// The tasks that have not completed, by FoundationNetworking's number.
        var tasks: [Int: URLSessionTask] = [:]
    }

    private let runtime = PluginRuntime.current
    private let state: Mutex<State>
    /// The underlying session. `nonisolated(unsafe)`: it is set in `init` and never again.
    nonisolated(unsafe) private(set) var foundation: FoundationNetworking.URLSession = .shared

    /// - Parameter delegate: nil: only completion handlers and async forms are used.
    init(
        _ configuration: URLSessionConfiguration?, _ delegate: (any URLSessionDelegate)?,
        _ queue: OperationQueue
    ) {
        state = Mutex(State(delegate: delegate))
        super.init()
        guard let configuration else { return }
        foundation =
            delegate == nil
            ? FoundationNetworking.URLSession(configuration: configuration.plain)
            : FoundationNetworking.URLSession(
                configuration: configuration.plain, delegate: self, delegateQueue: queue)
    }

    var delegate: (any URLSessionDelegate)? { state.withLock(\.delegate) }

    /// Connects the session that the app uses; both retain each other until it is invalidated, as in
    /// Apple's framework.
    func open(for session: URLSession) {
        state.withLock { state in
            if state.delegate != nil { state.session = session }
        }
    }

    /// Registers a task whose delegate is to be notified.
    func watch<Task: URLSessionTask>(_ task: Task) -> Task {
        state.withLock { state in
            if state.delegate != nil { state.tasks[task.taskIdentifier] = task }
        }
        return task
    }

    var tasks: [URLSessionTask] {
        state.withLock { state in state.tasks.sorted { $0.key < $1.key }.map(\.value) }
    }

    private func known(_ task: FoundationNetworking.URLSessionTask) -> URLSessionTask? {
        state.withLock { $0.tasks[task.taskIdentifier] }
    }

    /// Calls `body` with the delegate as the protocol that it adopts; `fallback` if it does not.
    private func tell<Delegate>(
        _ type: Delegate.Type, _ body: (Delegate, URLSession) -> Void,
        orElse fallback: () -> Void = {}
    ) {
        let (delegate, session) = state.withLock { ($0.delegate, $0.session) }
        guard let delegate = delegate as? Delegate, let session else { return fallback() }
        runtime.withCurrent { body(delegate, session) }
    }
}

extension PlainSession: FoundationNetworking.URLSessionDataDelegate {
    func urlSession(
        _: FoundationNetworking.URLSession, didBecomeInvalidWithError error: (any Error)?
    ) {
        tell((any URLSessionDelegate).self) { delegate, session in
            delegate.urlSession(session, didBecomeInvalidWithError: error)
        }
        state.withLock { state in
            state.delegate = nil
            state.session = nil
        }
    }

    func urlSession(
        _: FoundationNetworking.URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        tell((any URLSessionDelegate).self) { delegate, session in
            delegate.urlSession(
                session, didReceive: challenge, completionHandler: completionHandler)
        } orElse: {
            completionHandler(.performDefaultHandling, nil)
        }
    }

    func urlSession(
        _: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let ours = known(task) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        tell((any URLSessionTaskDelegate).self) { delegate, session in
            delegate.urlSession(session, task: ours, didReceive: challenge) {
                // Apple: without a credential, the request continues without one.
                let isMissing = $0 == .useCredential && $1 == nil
                completionHandler(isMissing ? .performDefaultHandling : $0, $1)
            }
        } orElse: {
            completionHandler(.performDefaultHandling, nil)
        }
    }

    func urlSession(
        _: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        guard let ours = known(task) else { return }
        tell((any URLSessionTaskDelegate).self) { delegate, session in
            delegate.urlSession(session, task: ours, didCompleteWithError: error)
        }
        state.withLock { $0.tasks[task.taskIdentifier] = nil }
    }

    func urlSession(
        _: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let ours = known(task) else { return completionHandler(request) }
        tell((any URLSessionTaskDelegate).self) { delegate, session in
            delegate.urlSession(
                session, task: ours, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: completionHandler)
        } orElse: {
            completionHandler(request)
        }
    }

    func urlSession(
        _: FoundationNetworking.URLSession, task: FoundationNetworking.URLSessionTask,
        didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard let ours = known(task) else { return }
        tell((any URLSessionTaskDelegate).self) { delegate, session in
            delegate.urlSession(
                session, task: ours, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
                totalBytesExpectedToSend: totalBytesExpectedToSend)
        }
    }

    func urlSession(
        _: FoundationNetworking.URLSession, dataTask: FoundationNetworking.URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard let ours = known(dataTask) as? URLSessionDataTask else {
            return completionHandler(.allow)
        }
        tell((any URLSessionDataDelegate).self) { delegate, session in
            delegate.urlSession(
                session, dataTask: ours, didReceive: response,
                completionHandler: completionHandler)
        } orElse: {
            completionHandler(.allow)
        }
    }

    func urlSession(
        _: FoundationNetworking.URLSession, dataTask: FoundationNetworking.URLSessionDataTask,
        didReceive data: Data
    ) {
        guard let ours = known(dataTask) as? URLSessionDataTask else { return }
        tell((any URLSessionDataDelegate).self) { delegate, session in
            delegate.urlSession(session, dataTask: ours, didReceive: data)
        }
    }
}

extension PlainSession: FoundationNetworking.URLSessionDownloadDelegate {
    func urlSession(
        _: FoundationNetworking.URLSession,
        downloadTask: FoundationNetworking.URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard let ours = known(downloadTask) as? URLSessionDownloadTask else { return }
        tell((any URLSessionDownloadDelegate).self) { delegate, session in
            delegate.urlSession(
                session, downloadTask: ours, didFinishDownloadingTo: location)
        }
    }

    func urlSession(
        _: FoundationNetworking.URLSession,
        downloadTask: FoundationNetworking.URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard let ours = known(downloadTask) as? URLSessionDownloadTask else { return }
        tell((any URLSessionDownloadDelegate).self) { delegate, session in
            delegate.urlSession(
                session, downloadTask: ours, didWriteData: bytesWritten,
                totalBytesWritten: totalBytesWritten,
                totalBytesExpectedToWrite: totalBytesExpectedToWrite)
        }
    }
}
