// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
public import FoundationNetworking

// The tasks of both kinds of session. On a background session, forbidden calls are reported as
// broken rules, with Apple's words.
extension URLSession {
    /// A download; initially suspended.
    public func downloadTask(with url: URL) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url))
    }

    public func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        switch backing {
        case .background(let session):
            session.checkIsValid()
            return URLSessionDownloadTask(.background(session), request)
        case .plain(let session):
            return session.watch(
                URLSessionDownloadTask(
                    .plain(session.foundation.downloadTask(with: request)), request))
        }
    }

    /// A download that continues where a cancelled one stopped.
    public func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        switch backing {
        case .background(let session):
            session.checkIsValid()
            return URLSessionDownloadTask(.background(session), nil, resumeData: resumeData)
        case .plain(let session):
            let task = session.foundation.downloadTask(withResumeData: resumeData)
            return session.watch(URLSessionDownloadTask(.plain(task), task.originalRequest))
        }
    }

    /// An upload of a file; initially suspended. A GET request is sent with PUT.
    public func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask
    {
        switch backing {
        case .background(let session):
            session.checkIsValid()
            return URLSessionUploadTask(.background(session), request, source: fileURL)
        case .plain(let session):
            return session.watch(
                URLSessionUploadTask(
                    .plain(session.foundation.uploadTask(with: request, fromFile: fileURL)),
                    request))
        }
    }

    /// Not for background sessions.
    public func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        let session = plain("Upload tasks from NSData are not supported in background sessions.")
        return session.watch(
            URLSessionUploadTask(
                .plain(session.foundation.uploadTask(with: request, from: bodyData)), request))
    }

    /// Not for background sessions.
    public func dataTask(with url: URL) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url))
    }

    public func dataTask(with request: URLRequest) -> URLSessionDataTask {
        let session = plain("Data tasks are not supported in background sessions.")
        return session.watch(
            URLSessionDataTask(.plain(session.foundation.dataTask(with: request)), request))
    }

    // MARK: with a completion handler, not for background sessions

    public func dataTask(
        with url: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        dataTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    public func dataTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        let session = plainSession(Self.noHandlers)
        return URLSessionDataTask(
            .plain(session.dataTask(with: request, completionHandler: completionHandler)), request)
    }

    public func downloadTask(
        with url: URL,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        downloadTask(with: URLRequest(url: url), completionHandler: completionHandler)
    }

    public func downloadTask(
        with request: URLRequest,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        let session = plainSession(Self.noHandlers)
        return URLSessionDownloadTask(
            .plain(session.downloadTask(with: request, completionHandler: completionHandler)),
            request)
    }

    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        let session = plainSession(Self.noHandlers)
        return URLSessionUploadTask(
            .plain(
                session.uploadTask(
                    with: request, fromFile: fileURL, completionHandler: completionHandler)),
            request)
    }

    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        let session = plainSession(Self.noHandlers)
        return URLSessionUploadTask(
            .plain(
                session.uploadTask(
                    with: request, from: bodyData, completionHandler: completionHandler)),
            request)
    }

    // MARK: async; in a background session these end with the process

    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await awaitedSession.data(from: url)
    }

    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await awaitedSession.data(for: request)
    }

    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await awaitedSession.download(from: url)
    }

    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await awaitedSession.download(for: request)
    }

    public func upload(
        for request: URLRequest, from bodyData: Data
    ) async throws -> (Data, URLResponse) {
        try await awaitedSession.upload(for: request, from: bodyData)
    }

    public func upload(
        for request: URLRequest, fromFile fileURL: URL
    ) async throws -> (Data, URLResponse) {
        try await awaitedSession.upload(for: request, fromFile: fileURL)
    }

    private static let noHandlers =
        "Completion handler blocks are not supported in background sessions. "
        + "Use a delegate instead."

    /// FoundationNetworking's session; `rule` is the rule that a background session breaks here.
    private func plain(_ rule: String) -> PlainSession {
        switch backing {
        case .plain(let session): return session
        case .background(let session):
            session.runtime.report(misuse: rule)
            return PlainSession(nil, nil, .main)
        }
    }

    /// The session of the async forms. Apple's own samples call them on background sessions.
    var awaitedSession: FoundationNetworking.URLSession {
        switch backing {
        case .plain(let session): session.foundation
        case .background(let session): session.awaited
        }
    }

    private func plainSession(_ rule: String) -> FoundationNetworking.URLSession {
        plain(rule).foundation
    }
}
