// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasks
import BackgroundTasksTesting
import Testing
import UIKit

@Suite("Tasks of a background session", .timeLimit(.minutes(5)))
struct TaskTests {
    private let scheduler = Podcasts.scheduler()
    private let listener = Listener()

    @Test("Apple: a task begins suspended, and nothing is transferred before it is resumed")
    func suspended() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).downloadTask(with: Podcasts.url("a.mp3"))
            #expect(task.state == .suspended)
            #expect(scheduler.transfers.isEmpty)
            task.resume()
            #expect(task.state == .running)
            #expect(scheduler.transfers.map(\.url) == ["https://example.com/a.mp3"])
            #expect(scheduler.transfers.map(\.state) == [.running])
            task.resume()
            #expect(scheduler.transfers.count == 1)
        }
    }

    @Test("Properties of the task, its request and its session reach bgrun")
    func configured() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener) { configuration in
                configuration.isDiscretionary = true
                configuration.sessionSendsLaunchEvents = false
                configuration.allowsExpensiveNetworkAccess = false
                configuration.timeoutIntervalForResource = 3_600
                configuration.httpMaximumConnectionsPerHost = 2
                configuration.httpAdditionalHeaders = ["accept": "text/plain", "X-App": 7]
            }
            var request = URLRequest(url: Podcasts.url("a.mp3"))
            request.setValue("audio/*", forHTTPHeaderField: "Accept")
            request.timeoutInterval = 30
            let task = session.downloadTask(with: request)
            task.taskDescription = "Episode"
            task.earliestBeginDate = Date(timeIntervalSinceNow: 600)
            task.countOfBytesClientExpectsToSend = 10
            task.countOfBytesClientExpectsToReceive = 20
            task.resume()
            let asked = try #require(scheduler.transfers.first).request
            #expect(asked.session == Podcasts.session)
            #expect(
                asked.options == [
                    .discretionary, .noLaunchEvents, .noMetered, .anyStatus, .keepsFile,
                ])
            #expect(asked.headersJSON == #"{"Accept":"audio\/*","X-App":"7"}"#)
            #expect(asked.description == "Episode")
            #expect(asked.delay > .seconds(590) && asked.delay <= .seconds(600))
            #expect(asked.requestTimeout == .seconds(30))
            #expect(asked.resourceTimeout == .seconds(3_600))
            #expect(asked.expectedToSend == 10 && asked.expectedToReceive == 20)
            #expect(asked.connections == 2)
            #expect(asked.method == nil && asked.file == nil)
        }
    }

    @Test(
        "A request that disallows expensive or constrained networks needs an unmetered one",
        arguments: [true, false])
    func unmeteredRequest(isExpensive: Bool) async {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let access: WritableKeyPath<URLRequest, Bool> =
                isExpensive ? \.allowsExpensiveNetworkAccess : \.allowsConstrainedNetworkAccess
            var request = URLRequest(url: Podcasts.url("a.mp3"))
            request[keyPath: access] = true
            Podcasts.background(listener).downloadTask(with: request).resume()
            request[keyPath: access] = false
            Podcasts.background(listener).downloadTask(with: request).resume()
            let asked = scheduler.transfers.map { $0.request.options.contains(.noMetered) }
            #expect(asked == [false, true])
        }
    }

    @Test("Apple: the defaults are launch events, 60 seconds, 7 days, and any network")
    func defaults() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            Podcasts.background(listener).downloadTask(with: Podcasts.url("a.mp3")).resume()
            let asked = try #require(scheduler.transfers.first).request
            #expect(asked.options == [.anyStatus, .keepsFile])
            #expect(asked.requestTimeout == .seconds(60))
            #expect(asked.resourceTimeout == .seconds(7 * 24 * 3_600))
            #expect(asked.delay == .zero && asked.headersJSON == nil)
        }
    }

    @Test("A session copies its configuration, so that later changes have no effect")
    func copied() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let configuration = URLSessionConfiguration.background(withIdentifier: "s")
            let session = URLSession(
                configuration: configuration, delegate: listener, delegateQueue: nil)
            configuration.isDiscretionary = true
            session.configuration.isDiscretionary = true
            session.downloadTask(with: Podcasts.url("a.mp3")).resume()
            let asked = try #require(scheduler.transfers.first).request
            #expect(asked.options == [.anyStatus, .keepsFile])
        }
    }

    @Test("taskIdentifier is available before resume, and does not change")
    func identifier() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            let first = session.downloadTask(with: Podcasts.url("a.mp3"))
            let second = session.downloadTask(with: Podcasts.url("b.mp3"))
            let identifier = second.taskIdentifier
            #expect(scheduler.transfers.map(\.state) == [.suspended])
            second.resume()
            #expect(scheduler.transfers.map(\.state) == [.running])
            first.resume()
            #expect(second.taskIdentifier == identifier)
            #expect(first.taskIdentifier != identifier)
            #expect(scheduler.transfers.map { Int($0.id) } == [identifier, first.taskIdentifier])
        }
    }

    @Test("Tasks that are resumed or queried before the first attempt wait for it")
    func early() async throws {
        try await scheduler.run {
            let found = AsyncStream.makeStream(of: [String].self)
            scheduler.launchApp {
                let session = Podcasts.background(listener)
                session.downloadTask(with: Podcasts.url("a.mp3")).resume()
                session.getAllTasks { tasks in
                    found.continuation.yield(
                        tasks.compactMap { $0.originalRequest?.url?.lastPathComponent })
                }
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: Podcasts.refresh, using: nil
                ) { $0.setTaskCompleted(success: true) }
            }
            #expect(scheduler.transfers.isEmpty)
            try BGTaskScheduler.shared.submit(
                BGAppRefreshTaskRequest(identifier: Podcasts.refresh))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.refresh)
            try await attempt.end()
            #expect(scheduler.transfers.map(\.url) == ["https://example.com/a.mp3"])
            for await tasks in found.stream {
                #expect(tasks == ["a.mp3"])
                break
            }
        }
    }

    @Test(
        "A session invalidated before the first attempt performs its waiting calls, then ends",
        arguments: [false, true])
    func invalidatedEarly(isCancelled: Bool) async throws {
        try await scheduler.run {
            let found = AsyncStream.makeStream(of: Int.self)
            scheduler.launchApp {
                let session = Podcasts.background(listener)
                session.downloadTask(with: Podcasts.url("a.mp3")).resume()
                session.getAllTasks { found.continuation.yield($0.count) }
                if isCancelled {
                    session.invalidateAndCancel()
                } else {
                    session.finishTasksAndInvalidate()
                }
                BGTaskScheduler.shared.register(
                    forTaskWithIdentifier: Podcasts.refresh, using: nil
                ) { $0.setTaskCompleted(success: true) }
            }
            #expect(listener.events.isEmpty)
            try BGTaskScheduler.shared.submit(
                BGAppRefreshTaskRequest(identifier: Podcasts.refresh))
            let attempt = try await scheduler.simulateLaunch(
                forTaskWithIdentifier: Podcasts.refresh)
            try await attempt.end()
            #expect(scheduler.transfers.count == (isCancelled ? 0 : 1))
            found.continuation.finish()
            for await count in found.stream { #expect(count == (isCancelled ? 0 : 1)) }
            guard isCancelled else { return }
            try await scheduler.logged("became invalid")
            #expect(listener.events == ["a.mp3 failed -999", "became invalid"])
        }
    }

    @Test("Properties set after bgrun has the task are only stored, and the log warns")
    func late() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).downloadTask(with: Podcasts.url("a.mp3"))
            task.resume()
            task.taskDescription = "late"
            #expect(task.taskDescription == "late")
            try await scheduler.logged("taskDescription was set after")
        }
    }

    @Test("Apple: suspend and resume stop and continue a transfer")
    func pause() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).downloadTask(with: Podcasts.url("a.mp3"))
            task.resume()
            task.suspend()
            #expect(task.state == .suspended)
            #expect(scheduler.transfers.map(\.state) == [.suspended])
            #expect(throws: SimulationError.suspendedTransfer("https://example.com/a.mp3")) {
                try scheduler.finishTransfer(of: "https://example.com/a.mp3")
            }
            task.resume()
            #expect(task.state == .running)
            #expect(scheduler.transfers.map(\.state) == [.running])
        }
    }

    @Test("Apple: a task that is cancelled completes with URLError.cancelled, and launches nothing")
    func cancel() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            let task = session.downloadTask(with: Podcasts.url("a.mp3"))
            task.resume()
            task.cancel()
            task.cancel()
            session.downloadTask(with: Podcasts.url("b.mp3")).cancel()
            try await scheduler.logged("a.mp3 failed -999")
            try await scheduler.logged("b.mp3 failed -999")
            #expect(task.state == .completed)
            #expect((task.error as? URLError)?.code == .cancelled)
            #expect(scheduler.transfers.isEmpty)
            #expect(scheduler.pendingRequests.isEmpty)
            #expect(listener.events.count == 2)
        }
    }

    @Test("Apple: cancelling the progress of a task cancels the task")
    func cancelProgress() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).downloadTask(with: Podcasts.url("a.mp3"))
            task.resume()
            task.progress.cancel()
            try await scheduler.logged("a.mp3 failed -999")
            #expect(scheduler.transfers.isEmpty)
        }
    }

    @Test("Apple: pausing and resuming the progress of a task suspends and resumes the task")
    func pauseProgress() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).downloadTask(with: Podcasts.url("a.mp3"))
            task.resume()
            task.progress.pause()
            while scheduler.transfers.map(\.state) != [.suspended] { await Task.yield() }
            #expect(task.state == .suspended)
            task.progress.resume()
            while scheduler.transfers.map(\.state) != [.running] { await Task.yield() }
            #expect(task.state == .running)
        }
    }

    @Test("Apple: a download cancelled by producing resume data resumes with that data")
    func resumeData() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            let task = session.downloadTask(with: Podcasts.url("a.mp3"))
            task.resume()
            try scheduler.advanceTransfer(of: "https://example.com/a.mp3", to: 5, of: 10)
            let data = try #require(await task.cancelByProducingResumeData())
            try await scheduler.logged("a.mp3 failed -999")
            #expect(
                listener.errors.first?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data == data
            )
            #expect(scheduler.transfers.isEmpty)

            let next = session.downloadTask(withResumeData: data)
            next.resume()
            #expect(next.originalRequest?.url == Podcasts.url("a.mp3"))
            #expect(scheduler.transfers.map(\.transfer.received) == [5])
        }
    }

    @Test("Apple: without a partial file the resume data is nil")
    func noResumeData() async throws {
        await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).downloadTask(with: Podcasts.url("a.mp3"))
            task.resume()
            #expect(await task.cancelByProducingResumeData() == nil)
            #expect(await task.cancelByProducingResumeData() == nil)
        }
    }

    @Test("Invalid resume data fails the task")
    func badResumeData() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).downloadTask(
                withResumeData: Data("no".utf8))
            task.resume()
            try await scheduler.logged("? failed \(URLError.unsupportedURL.rawValue)")
            #expect(task.state == .completed)
        }
    }

    @Test("Apple: an upload sends a file, with the method of its request")
    func upload() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let session = Podcasts.background(listener)
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("upload-\(UUID().uuidString)")
            try Data("recording".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            var request = URLRequest(url: Podcasts.url("post"))
            request.httpMethod = "POST"
            session.uploadTask(with: request, fromFile: file).resume()
            session.uploadTask(with: URLRequest(url: Podcasts.url("put")), fromFile: file).resume()
            let asked = scheduler.transfers.map(\.request)
            #expect(asked.map(\.method) == ["POST", nil])
            #expect(asked.map(\.file) == [file.path, file.path])
            #expect(asked.allSatisfy { $0.options == [.upload, .anyStatus] })
        }
    }

    @Test("A missing file to upload fails the task")
    func missingFile() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let task = Podcasts.background(listener).uploadTask(
                with: URLRequest(url: Podcasts.url("post")),
                fromFile: URL(fileURLWithPath: "/nowhere"))
            task.resume()
            try await scheduler.logged("post failed \(URLError.fileDoesNotExist.rawValue)")
            #expect(task.state == .completed)
        }
    }

    @Test("A URL that is not http or https fails the task")
    func otherScheme() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            Podcasts.background(listener).downloadTask(with: URL(fileURLWithPath: "/a.mp3"))
                .resume()
            try await scheduler.logged("a.mp3 failed \(URLError.unsupportedURL.rawValue)")
        }
    }

    @Test("Apple: a session of the same identifier in a new process has the tasks of the old one")
    func reconnect() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            let identifier = try Podcasts.createInEarlierLaunch("a.mp3", description: "Episode")
            try scheduler.advanceTransfer(of: "https://example.com/a.mp3", to: 3, of: 12)
            let session = Podcasts.background(listener)
            let (data, uploads, downloads) = await session.tasks
            #expect(data.isEmpty && uploads.isEmpty)
            let task = try #require(downloads.first)
            #expect(task.taskIdentifier == identifier)
            #expect(task.taskDescription == "Episode")
            #expect(task.originalRequest?.url == Podcasts.url("a.mp3"))
            #expect(task.state == .running)
            #expect(task.countOfBytesReceived == 3 && task.countOfBytesExpectedToReceive == 12)
            #expect(task.progress.fractionCompleted == 0.25)
            #expect(await session.allTasks.first === task)
        }
    }

    @Test("Apple: two sessions of an identifier in a process are an error that is logged")
    func second() async throws {
        try await scheduler.run {
            await scheduler.launchApp(PodcastsDelegate.self)
            _ = Podcasts.background(listener)
            _ = Podcasts.background(Listener())
            try await scheduler.logged(
                "A background URLSession with identifier \(Podcasts.session) already exists!")
        }
    }
}
