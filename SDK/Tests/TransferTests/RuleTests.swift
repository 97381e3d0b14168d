// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasks
import BackgroundTasksTesting
import Combine
import Synchronization
import Testing
import UIKit

@Suite("Rules of background and other sessions", .timeLimit(.minutes(5)))
struct RuleTests {
    private let scheduler = Podcasts.scheduler()

    private static let noHandlers =
        "Completion handler blocks are not supported in background sessions. "
        + "Use a delegate instead."

    @Test("Apple: a background session has no completion handlers, data tasks or uploads of data")
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

    @Test("Infinite time-outs and dates are a century", arguments: [Double.infinity, 1e300])
    func infinite(_ seconds: Double) async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(Listener()) { configuration in
                configuration.timeoutIntervalForRequest = seconds
                configuration.timeoutIntervalForResource = seconds
            }
            let century = Duration.seconds(3_155_760_000)
            var request = URLRequest(url: Podcasts.url("a"))
            for timeout in [60, seconds] {
                request.timeoutInterval = timeout
                let task = session.downloadTask(with: request)
                task.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
                task.resume()
                let asked = try #require(scheduler.transfers.last).request
                #expect(asked.requestTimeout == century && asked.resourceTimeout == century)
                #expect(asked.delay == century)
            }
            let plain = URLSessionConfiguration.default
            plain.timeoutIntervalForRequest = seconds
            plain.timeoutIntervalForResource = seconds
            await expectRefusal(plain)
        }
    }

    @Test("Invalid time-outs do not end an app", arguments: [-Double.infinity, -1, .nan])
    func invalid(_ seconds: Double) async {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let configuration = URLSessionConfiguration.default
            configuration.timeoutIntervalForRequest = seconds
            configuration.timeoutIntervalForResource = seconds
            await expectRefusal(configuration)
        }
    }

    /// No server has this port.
    private func expectRefusal(_ configuration: URLSessionConfiguration) async {
        await #expect(throws: URLError.self) {
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            _ = try await URLSession(configuration: configuration).data(from: url)
        }
    }

    @Test("A delegate that inherits its protocol is reported, in sessions of either kind")
    func derived() async {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            _ = Podcasts.background(SilentListener())
        }
        #expect(!scheduler.log.contains { $0.message.contains("inherits") })
        await scheduler.run {
            _ = Podcasts.background(DerivedListener())
            let plain = URLSession(
                configuration: .ephemeral, delegate: DerivedListener(), delegateQueue: nil)
            plain.invalidateAndCancel()
        }
        let text = "DerivedListener inherits URLSessionDownloadDelegate from SilentListener"
        let warnings = scheduler.log.filter { $0.level == .warning && $0.message.contains(text) }
        #expect(warnings.count == 2)
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

    @Test("The answer of a task's bytes comes as lines and characters, with the task")
    func bytes() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Echo.self]
        let session = URLSession(configuration: configuration)
        let (bytes, response) = try await session.bytes(from: Podcasts.url("hello"))
        #expect(bytes.task.originalRequest?.url == Podcasts.url("hello"))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        var text = ""
        for try await character in bytes.characters { text.append(character) }
        for try await line in bytes.lines { text += line }
        #expect(text == "/hello/hello")
    }

    @Test("Async methods of a background session use its configuration; the log warns once")
    func awaited() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let configuration = URLSessionConfiguration.background(withIdentifier: "awaited")
            configuration.protocolClasses = [Echo.self]
            let session = URLSession(configuration: configuration)
            let (data, _) = try await session.data(from: Podcasts.url("hello"))
            #expect(String(decoding: data, as: UTF8.self) == "/hello")
            let (bytes, _) = try await session.bytes(from: Podcasts.url("again"))
            var text = ""
            for try await character in bytes.characters { text.append(character) }
            #expect(text == "/again")
        }
        #expect(scheduler.misuses.isEmpty)
        let text = "async methods of the background session awaited transfer in this process"
        let warnings = scheduler.log.filter { $0.level == .warning && $0.message.contains(text) }
        #expect(warnings.count == 1)
    }

    @Test("A streamed upload is sent; a task that cannot be resumed fails")
    func uploads() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Echo.self]
        let listener = Listener()
        let session = URLSession(
            configuration: configuration, delegate: listener, delegateQueue: nil)
        var request = URLRequest(url: Podcasts.url("stream"))
        request.httpBodyStream = InputStream(data: Data("text".utf8))
        let upload = session.uploadTask(withStreamedRequest: request)
        let states = AsyncStream<URLSessionTask.State>.makeStream()
        let observation = upload.observe(\.state) { task, _ in states.1.yield(task.state) }
        upload.resume()
        for await state in states.0 where state == .completed { break }
        observation.invalidate()
        #expect(upload.originalRequest?.httpMethod == "POST")
        #expect(upload.error == nil)
        #expect(await upload.cancelByProducingResumeData() == nil)
        await #expect(throws: URLError.self) { try await session.download(resumeFrom: Data()) }

        let plain = URLSession(configuration: .ephemeral)
        let resumed = plain.uploadTask(withResumeData: Data())
        resumed.resume()
        for await state in resumed.publisher(for: \.state).values where state == .completed {
            break
        }
        #expect((resumed.error as? URLError)?.code == .unsupportedURL)
    }

    @Test("A challenge never has a server's certificate; hints and proxies are stored or ignored")
    func inert() {
        let space = URLProtectionSpace(
            host: "example.com", port: 443, protocol: "https", realm: nil,
            authenticationMethod: NSURLAuthenticationMethodServerTrust)
        #expect(space.serverTrust == nil)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = ["HTTPEnable": 1]
        configuration.networkServiceType = .responsiveData
        let session = URLSession(configuration: configuration)
        #expect(session.configuration.connectionProxyDictionary?.count == 1)
        let listener = Listener()
        let task = session.downloadTask(with: Podcasts.url("a"))
        task.delegate = listener
        #expect(task.delegate === listener)
    }

    @Test(
        "Any other session calls its delegate for its tasks, and releases it when invalidated"
    )
    func plainDelegate() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let listener = DataListener()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [Echo.self]
            let session = URLSession(
                configuration: configuration, delegate: listener, delegateQueue: nil)
            let task = session.dataTask(with: Podcasts.url("hello"))
            #expect(await session.allTasks == [task])
            task.resume()
            try await scheduler.logged("completed true")
            #expect(listener.task === task)
            #expect(scheduler.log.map(\.message).suffix(3) == ["200", "/hello", "completed true"])
            session.finishTasksAndInvalidate()
            try await scheduler.logged("invalid")
            // The delegate is released when its method has returned, on this queue.
            await withCheckedContinuation { continuation in
                session.flush { continuation.resume() }
            }
            #expect(session.delegate == nil)
        }
    }
}

/// Declares only the required method of the protocol.
class SilentListener: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {}
}

final class DerivedListener: SilentListener, @unchecked Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {}
}

/// Records the events of a data task.
final class DataListener: NSObject, URLSessionDataDelegate {
    private let last = Mutex<URLSessionTask?>(nil)

    var task: URLSessionTask? { last.withLock { $0 } }

    private func add(_ event: String) {
        PluginRuntime.current.log(.info, event)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        add("\((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        add(String(decoding: data, as: UTF8.self))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        last.withLock { $0 = task }
        add("completed \(error == nil)")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        add("invalid")
    }
}

/// Answers with the requested path.
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
