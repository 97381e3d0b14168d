// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

extension URLSession {
    /// The bytes of a response. The whole response is downloaded before the first byte is returned,
    /// because FoundationNetworking does not support streaming: an endless stream returns none.
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8
        public typealias Failure = any Error

        fileprivate let data: Data
        /// The task that has downloaded them.
        public let task: URLSessionDataTask

        public func makeAsyncIterator() -> Iterator {
            Iterator(iterator: data.makeIterator())
        }

        /// Lines without their line feeds; skips empty ones, as Apple's framework does.
        public var lines: AsyncLines { AsyncLines(data: data) }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var iterator: Data.Iterator

            public mutating func next() async throws -> UInt8? {
                try Task.checkCancellation()
                return iterator.next()
            }
        }
    }

    /// The lines of a response.
    public struct AsyncLines: AsyncSequence, Sendable {
        public typealias Element = String
        public typealias Failure = any Error

        fileprivate let data: Data

        public func makeAsyncIterator() -> Iterator {
            Iterator(
                rest: String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)[...])
        }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var rest: ArraySlice<Substring>

            public mutating func next() async throws -> String? {
                try Task.checkCancellation()
                return rest.popFirst().map(String.init)
            }
        }
    }

    public func bytes(
        from url: URL, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        try await bytes(for: URLRequest(url: url), delegate: delegate)
    }

    public func bytes(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (AsyncBytes, URLResponse) {
        let (answers, continuation) = AsyncThrowingStream<(Data, URLResponse), any Error>
            .makeStream()
        let transfer = awaitedSession.dataTask(with: request) { data, response, error in
            if let response, error == nil { continuation.yield((data ?? Data(), response)) }
            continuation.finish(throwing: error)
        }
        let task = URLSessionDataTask(.plain(transfer), request)
        task.resume()
        return try await withTaskCancellationHandler {
            for try await (data, response) in answers {
                return (AsyncBytes(data: data, task: task), response)
            }
            throw URLError(.cancelled)
        } onCancel: {
            task.cancel()
        }
    }
}

extension URL {
    /// The lines of the resource at the URL, which is downloaded as a whole.
    public var lines: AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            let work = Task {
                do {
                    if isFileURL {
                        let text = try String(contentsOf: self, encoding: .utf8)
                        for line in text.split(whereSeparator: \.isNewline) {
                            continuation.yield(String(line))
                        }
                    } else {
                        for try await line in try await URLSession.shared.bytes(from: self).0.lines
                        {
                            continuation.yield(line)
                        }
                    }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }
}

// The forms with a delegate of the task, which FoundationNetworking does not support: the delegate
// is never called.
extension URLSession {
    public func data(
        from url: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await data(from: url)
    }

    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await data(for: request)
    }

    public func download(
        from url: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        try await download(from: url)
    }

    public func download(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        try await download(for: request)
    }

    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, from: bodyData)
    }

    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        try await upload(for: request, fromFile: fileURL)
    }
}
