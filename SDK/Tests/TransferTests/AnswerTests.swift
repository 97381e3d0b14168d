// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasks
import BackgroundTasksTesting
import Synchronization
import Testing
import UIKit

/// A delegate that has a password, and records its calls.
final class Keeper: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate {
    struct State: Sendable {
        var events: [String] = []
        var waiters: [(event: String, go: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let credential: URLCredential?

    init(_ credential: URLCredential? = nil) {
        self.credential = credential
    }

    var events: [String] { state.withLock(\.events) }

    private func add(_ event: String) {
        let ready = state.withLock { state in
            state.events.append(event)
            let ready = state.waiters.filter { $0.event == event }.map(\.go)
            state.waiters.removeAll { $0.event == event }
            return ready
        }
        for waiter in ready { waiter.resume() }
    }

    func wait(for event: String) async {
        await withCheckedContinuation { go in
            let isThere = state.withLock { state in
                guard !state.events.contains(event) else { return true }
                state.waiters.append((event, go))
                return false
            }
            if isThere { go.resume() }
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        let text = (try? String(contentsOf: location, encoding: .utf8)) ?? "nothing"
        add("file \(status) \(text)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        add("\(bytesWritten), \(totalBytesWritten) of \(totalBytesExpectedToWrite)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        add("resumed at \(fileOffset)")
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        add("data \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let space = challenge.protectionSpace
        add("who for \(space.realm ?? "?") of \(space.host), \(challenge.previousFailureCount)")
        completionHandler(credential == nil ? .performDefaultHandling : .useCredential, credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        add(error.map { "error \(($0 as? URLError)?.code.rawValue ?? 0)" } ?? "completed")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        add("invalid")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        add("all")
        Podcasts.finish()
    }
}

@Suite("Answers of servers to background sessions", .timeLimit(.minutes(2)))
struct AnswerTests {
    private let scheduler = Podcasts.scheduler()
    private static let address = "https://example.com/a"

    private func launch() async throws {
        let attempt = try await scheduler.simulateLaunch(forTaskWithIdentifier: Podcasts.session)
        try await attempt.end()
    }

    @Test("Apple: an answer of 404 has a file and no error")
    func missing() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let keeper = Keeper()
            Podcasts.background(keeper).downloadTask(with: Podcasts.url("a")).resume()
            try scheduler.finishTransfer(of: Self.address, with: Data("gone".utf8), status: 404)
            try await launch()
            #expect(keeper.events == ["4, 4 of 4", "file 404 gone", "completed", "all"])
        }
    }

    @Test("Apple: the answer to an upload is delivered")
    func upload() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("upload-\(UUID().uuidString)")
            try Data("recording".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let keeper = Keeper()
            Podcasts.background(keeper)
                .uploadTask(with: URLRequest(url: Podcasts.url("a")), fromFile: file).resume()
            try scheduler.finishTransfer(of: Self.address, with: Data("{}".utf8), status: 201)
            try await launch()
            #expect(keeper.events == ["response 201", "data {}", "completed", "all"])
        }
    }

    @Test("Apple: a server that requests a password receives that of the delegate")
    func challenge() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let keeper = Keeper(URLCredential(user: "u", password: "p:w", persistence: .none))
            let task = Podcasts.background(keeper).downloadTask(with: Podcasts.url("a"))
            task.resume()
            try scheduler.finishTransfer(
                of: Self.address, with: Data("who?".utf8), status: 401,
                headers: ["www-authenticate": "Basic realm=\"shows\""])
            try await launch()
            #expect(keeper.events == ["who for shows of example.com, 0", "all"])
            let again = try #require(scheduler.transfers.first)
            #expect(scheduler.transfers.count == 1 && again.state == .running)
            #expect(again.request.headersJSON == #"{"Authorization":"Basic dTpwOnc="}"#)
            #expect(task.state == .running && task.taskIdentifier == Int(again.id))
            try scheduler.finishTransfer(of: Self.address, with: Data("music".utf8))
            try await launch()
            #expect(
                keeper.events.dropFirst(2) == ["5, 5 of 5", "file 200 music", "completed", "all"])
        }
    }

    @Test("Apple: without a credential the result is the server's 401 answer")
    func noCredential() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let keeper = Keeper()
            Podcasts.background(keeper).downloadTask(with: Podcasts.url("a")).resume()
            try scheduler.finishTransfer(
                of: Self.address, with: Data("who?".utf8), status: 401,
                headers: ["www-authenticate": "Basic realm=\"shows\""])
            try await launch()
            #expect(keeper.events.contains("file 401 who?") && keeper.events.contains("completed"))
            #expect(scheduler.transfers.isEmpty)
        }
    }

    @Test("Apple: finishTasksAndInvalidate during delivery loses no event")
    func invalidated() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let keeper = Keeper()
            let session = Podcasts.background(keeper)
            for name in ["a", "b"] { session.downloadTask(with: Podcasts.url(name)).resume() }
            for name in ["a", "b"] {
                try scheduler.finishTransfer(
                    of: "https://example.com/\(name)", with: Data(name.utf8))
            }
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            session.finishTasksAndInvalidate()
            try await attempt.end()
            await keeper.wait(for: "invalid")
            #expect(keeper.events.filter { $0 == "completed" }.count == 2, "\(keeper.events)")
            #expect(keeper.events.suffix(2) == ["all", "invalid"])
        }
    }

    @Test("Apple: a session created for its events and invalidated at once receives all its events")
    func invalidatedAtOnce() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            Podcasts.background(Keeper()).downloadTask(with: Podcasts.url("a")).resume()
            try scheduler.finishTransfer(of: Self.address, with: Data("x".utf8))
            let keeper = Keeper()
            let session = Podcasts.background(keeper)
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            session.finishTasksAndInvalidate()
            try await attempt.end()
            await keeper.wait(for: "invalid")
            #expect(keeper.events == ["1, 1 of 1", "file 200 x", "completed", "all", "invalid"])
        }
    }

    @Test("Apple: a running app receives the progress and the resumption of a download")
    func progress() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let keeper = Keeper()
            let session = Podcasts.background(keeper)
            let first = session.downloadTask(with: Podcasts.url("a"))
            let fractions = AsyncStream<Double>.makeStream()
            let observation = first.progress.observe(\.fractionCompleted) { progress, _ in
                fractions.1.yield(progress.fractionCompleted)
            }
            first.resume()
            try scheduler.advanceTransfer(of: Self.address, to: 40, of: 100)
            for await fraction in fractions.0 where fraction == 0.4 { break }
            observation.invalidate()
            let data = try #require(await first.cancelByProducingResumeData())
            session.downloadTask(withResumeData: data).resume()
            try scheduler.advanceTransfer(of: Self.address, to: 70, of: 100)
            await keeper.wait(for: "30, 70 of 100")
            #expect(keeper.events.contains("resumed at 40"))
            try scheduler.finishTransfer(of: Self.address, with: Data(count: 100))
            try await launch()
            #expect(keeper.events.contains("30, 100 of 100"), "\(keeper.events)")
        }
    }

    @Test("cancel and suspend are not lost while resume creates the transfer")
    func races() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(Keeper())
            for number in 0..<100 {
                let task = session.downloadTask(with: Podcasts.url("\(number)"))
                let isCancelled = number % 2 == 0
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { task.resume() }
                    group.addTask { if isCancelled { task.cancel() } else { task.suspend() } }
                }
                let there = scheduler.transfers.first { $0.url.hasSuffix("/\(number)") }
                if isCancelled {
                    #expect(there == nil && task.state == .completed)
                } else {
                    #expect(there?.state.rawValue == UInt32(task.state.rawValue), "\(number)")
                }
            }
        }
    }
}
