// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasks
import BackgroundTasksTesting
import SwiftUI
import Synchronization
import Testing
import UIKit

@Suite("Events of a background session", .timeLimit(.minutes(5)))
struct EventTests {
    private let scheduler = Podcasts.scheduler()
    private let listener = Listener()

    private func start(_ names: String..., in session: URLSession) {
        for name in names { session.downloadTask(with: Podcasts.url(name)).resume() }
    }

    private func finish(_ name: String, with text: String = "music") throws {
        try scheduler.finishTransfer(of: "https://example.com/\(name)", with: Data(text.utf8))
    }

    @Test("Apple: the app is launched once, when all transfers of the session have ended")
    func launchedWhenAllEnded() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            start("a", "b", in: session)
            try finish("b")
            #expect(scheduler.pendingRequests.isEmpty)
            try scheduler.failTransfer(of: "https://example.com/a", with: .timedOut)
            #expect(scheduler.pendingRequests.map(\.identifier) == [Podcasts.session])
        }
    }

    @Test("Apple: the app receives its session, then each ended task in order, then the end")
    func order() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            start("a", "b", in: Podcasts.background(listener))
            try finish("b", with: "bb")
            try finish("a", with: "a")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            #expect(try await attempt.completion().success)
            try await attempt.end()
            let told = scheduler.log.map(\.message).filter {
                !$0.contains("suspended") && !$0.contains("it is kept")
            }
            #expect(
                told == [
                    "handle events of \(Podcasts.session)", "2/2 of b", "file of b", "b completed",
                    "1/1 of a", "file of a", "a completed", "all events of \(Podcasts.session)",
                ])
            #expect(listener.contents == ["bb", "a"])
            #expect(listener.responses == [200, 200])
            #expect(scheduler.transfers.isEmpty)
        }
    }

    @Test(
        "The file is no longer at its place after didFinishDownloadingTo: it was moved, or bgrun keeps it"
    )
    func temporaryFile() async throws {
        let aside = FileManager.default.temporaryDirectory
            .appendingPathComponent("moved-\(UUID().uuidString)")
        let listener = Listener { file in
            let text = try? String(contentsOf: file, encoding: .utf8)
            if text == "kept" { try? FileManager.default.moveItem(at: file, to: aside) }
        }
        defer { try? FileManager.default.removeItem(at: aside) }
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            start("a", "b", in: Podcasts.background(listener))
            try finish("a", with: "dropped")
            try finish("b", with: "kept")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await attempt.end()
            #expect(listener.contents == ["dropped", "kept"])
            #expect(listener.files.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) })
            #expect(try String(contentsOf: aside, encoding: .utf8) == "kept")
            let kept = scheduler.log.map(\.message).filter { $0.contains("it is kept") }
            #expect(kept.count == 1 && kept[0].contains("https://example.com/a"), "\(kept)")
        }
    }

    @Test("Apple: a failed task has no file, and an error that says why")
    func failure() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            let task = session.downloadTask(with: Podcasts.url("a"))
            task.resume()
            try scheduler.failTransfer(
                of: "https://example.com/a", with: .badServerResponse, status: 404, text: "gone")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await attempt.end()
            #expect(listener.events == ["a failed -1011", "all events of \(Podcasts.session)"])
            #expect(listener.errors.first?.localizedDescription == "gone")
            #expect((task.response as? HTTPURLResponse)?.statusCode == 404)
            #expect((task.error as? URLError)?.code == .badServerResponse)
            #expect(task.state == .completed)
        }
    }

    @Test("A successful upload reports the sent bytes")
    func upload() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("upload-\(UUID().uuidString)")
            try Data("recording".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            Podcasts.background(listener)
                .uploadTask(with: URLRequest(url: Podcasts.url("a")), fromFile: file).resume()
            try finish("a")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await attempt.end()
            #expect(
                listener.events == [
                    "sent 9/9 of a", "a completed", "all events of \(Podcasts.session)",
                ])
            #expect(FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test("Apple: a session created again after the relaunch receives the ended tasks")
    func relaunch() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let identifier = try Podcasts.createInEarlierLaunch("a", description: "Episode")
            try finish("a")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            // Nothing is delivered until the app creates a session.
            #expect(attempt.reported == nil)
            let later = Listener()
            let made = Podcasts.background(later)
            try await attempt.end()
            #expect(
                later.events == [
                    "5/5 of a", "file of a", "a completed", "all events of \(Podcasts.session)",
                ])
            #expect(later.tasks.map(\.taskIdentifier) == [identifier])
            #expect(later.tasks.map(\.taskDescription) == ["Episode"])
            #expect(await made.allTasks.isEmpty)
        }
    }

    @Test("Apple: the delegate is called on its given queue")
    func queue() async throws {
        let queue = OperationQueue()
        queue.name = "podcasts"
        let names = Mutex<[String?]>([])
        let listener = Listener { _ in
            names.withLock { $0.append(OperationQueue.current?.name) }
        }
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            start("a", in: Podcasts.background(listener, queue: queue))
            try finish("a")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await attempt.end()
            #expect(names.withLock { $0 } == ["podcasts"])
        }
    }

    @Test("The main queue may be the delegate's")
    func mainQueue() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            start("a", in: Podcasts.background(listener, queue: .main))
            try finish("a")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await attempt.end()
            #expect(listener.events.last == "all events of \(Podcasts.session)")
        }
    }

    @Test("An attempt that is completed early stays open until every event is delivered")
    func completedEarly() async throws {
        let listener = Listener { _ in Podcasts.finish() }
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            start("a", "b", in: Podcasts.background(listener))
            try finish("a")
            try finish("b")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await attempt.end()
            #expect(attempt.reported?.success == true)
            #expect(listener.events.last == "all events of \(Podcasts.session)")
            #expect(scheduler.transfers.isEmpty)
        }
    }

    @Test("Events that were not delivered before a revocation are delivered at the next launch")
    func expired() async throws {
        let reached = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let listener = Listener { file in
            guard (try? String(contentsOf: file, encoding: .utf8)) == "first" else { return }
            reached.continuation.yield()
            gate.wait()
        }
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            start("a", "b", in: Podcasts.background(listener))
            try finish("a", with: "first")
            try finish("b", with: "second")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            for await _ in reached.stream { break }
            try await scheduler.simulateExpiration(forTaskWithIdentifier: Podcasts.session)
            gate.signal()
            try await scheduler.logged("a completed")
            Podcasts.finish()
            try await attempt.end()
            #expect(scheduler.transfers.map(\.url) == ["https://example.com/b"])
            #expect(listener.events.last == "a completed")
        }
    }

    @Test(
        "A session without launch events launches nothing, and gets its events in the next attempt")
    func noLaunchEvents() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener) { $0.sessionSendsLaunchEvents = false }
            start("a", in: session)
            try finish("a")
            #expect(scheduler.pendingRequests.isEmpty)
            try BGTaskScheduler.shared.submit(
                BGAppRefreshTaskRequest(identifier: Podcasts.refresh))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.refresh)
            try await attempt.end()
            #expect(listener.events == ["5/5 of a", "file of a", "a completed"])
        }
    }

    @Test("Other attempts leave the events of a session to its own launch")
    func otherAttempts() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            start("a", in: Podcasts.background(listener))
            try finish("a")
            try BGTaskScheduler.shared.submit(
                BGAppRefreshTaskRequest(identifier: Podcasts.refresh))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.refresh)
            try await attempt.end()
            #expect(listener.events.isEmpty)
            #expect(scheduler.transfers.count == 1)
        }
    }

    @Test("Apple: tasks of an invalidated session finish, then it releases its delegate")
    func invalidated() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            start("a", in: session)
            session.finishTasksAndInvalidate()
            #expect(session.delegate != nil)
            _ = session.downloadTask(with: Podcasts.url("b"))
            #expect(
                scheduler.misuses == ["Task created in a session that has been invalidated"])
            try finish("a")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await scheduler.logged("became invalid")
            Podcasts.finish()
            try await attempt.end()
            #expect(
                listener.events == [
                    "5/5 of a", "file of a", "a completed", "all events of \(Podcasts.session)",
                    "became invalid",
                ])
            #expect(session.delegate == nil)
        }
    }

    @Test("Apple: invalidateAndCancel cancels every task")
    func invalidateAndCancel() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            start("a", in: session)
            session.invalidateAndCancel()
            try await scheduler.logged("became invalid")
            #expect(listener.events == ["a failed -999", "became invalid"])
            #expect(scheduler.transfers.isEmpty)
        }
    }

    @Test("SwiftUI: the action of urlSession creates the session, and its events precede the end")
    func swiftUI() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsApp.self)
            _ = try Podcasts.createInEarlierLaunch("a")
            try finish("a")
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.session)
            try await attempt.end()
            #expect(attempt.reported?.success == true)
            let messages = scheduler.log.map(\.message)
            #expect(messages.contains("a completed"))
            #expect(messages.last == "all events of \(Podcasts.session)")
        }
    }
}

struct PodcastsApp: App {
    var body: some Scene {
        BackgroundScene()
            .backgroundTask(.urlSession(Podcasts.session)) {
                _ = Podcasts.background(Listener())
            }
    }
}
