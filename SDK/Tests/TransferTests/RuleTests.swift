// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasksTesting
import Testing
import UIKit

@Suite("What sessions of either kind can and cannot do")
struct RuleTests {
    private let scheduler = Podcasts.scheduler()

    private static let noHandlers =
        "Completion handler blocks are not supported in background sessions. "
        + "Use a delegate instead."

    @Test("Apple: a background session has no completion handlers, no async forms, no data")
    func background() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(Listener())
            let url = Podcasts.url("a")
            let request = URLRequest(url: url)
            _ = session.dataTask(with: url)
            _ = session.uploadTask(with: request, from: Data())
            _ = session.dataTask(with: url) { _, _, _ in }
            _ = session.downloadTask(with: url) { _, _, _ in }
            _ = session.uploadTask(with: request, fromFile: url) { _, _, _ in }
            #expect(
                scheduler.misuses == [
                    "Data tasks are not supported in background sessions.",
                    "Upload tasks from NSData are not supported in background sessions.",
                    Self.noHandlers, Self.noHandlers, Self.noHandlers,
                ])
        }
    }

    @Test("Any other session is FoundationNetworking's, in its async and completion handler forms")
    func plain() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Echo.self]
        let session = URLSession(configuration: configuration)
        let (data, response) = try await session.data(from: Podcasts.url("hello"))
        #expect(String(decoding: data, as: UTF8.self) == "/hello")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)

        let text = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: Podcasts.url("again")) { data, _, _ in
                continuation.resume(returning: data.map { String(decoding: $0, as: UTF8.self) })
            }
            #expect(task.state == .suspended)
            task.resume()
        }
        #expect(text == "/again")
    }

    @Test("Only a background session has a delegate")
    func plainDelegate() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            _ = URLSession(configuration: .default, delegate: Listener(), delegateQueue: nil)
            #expect(scheduler.misuses.count == 1)
            #expect(scheduler.misuses.first?.contains("FoundationNetworking.URLSession") == true)
        }
    }
}

/// Answers with the path that was asked for.
final class Echo: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(url.path.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
