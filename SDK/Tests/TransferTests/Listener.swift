// SPDX-License-Identifier: Apache-2.0

import BGRunURLSession
import BackgroundTasks
import BackgroundTasksTesting
import Synchronization
import UIKit

/// A delegate that records its calls.
final class Listener: NSObject, URLSessionDownloadDelegate {
    struct State: Sendable {
        var events: [String] = []
        var contents: [String] = []
        var files: [URL] = []
        var errors: [URLError] = []
        var responses: [Int] = []
        var tasks: [URLSessionTask] = []
    }

    private let state = Mutex(State())
    /// Handles a downloaded file, which exists only until the callback returns.
    private let keep: @Sendable (URL) -> Void

    init(keep: @escaping @Sendable (URL) -> Void = { _ in }) {
        self.keep = keep
    }

    var events: [String] { state.withLock(\.events) }
    var contents: [String] { state.withLock(\.contents) }
    var files: [URL] { state.withLock(\.files) }
    var errors: [URLError] { state.withLock(\.errors) }
    var responses: [Int] { state.withLock(\.responses) }
    /// The completed tasks.
    var tasks: [URLSessionTask] { state.withLock(\.tasks) }

    func add(_ event: String) {
        state.withLock { $0.events.append(event) }
        PluginRuntime.current.log(.info, event)
    }

    private func name(_ task: URLSessionTask) -> String {
        task.originalRequest?.url?.lastPathComponent ?? "?"
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let content = (try? String(contentsOf: location, encoding: .utf8)) ?? "nothing"
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode
        state.withLock { state in
            state.contents.append(content)
            state.files.append(location)
            state.responses.append(status ?? 0)
        }
        keep(location)
        add("file of \(name(downloadTask))")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        add("\(totalBytesWritten)/\(totalBytesExpectedToWrite) of \(name(downloadTask))")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        add("sent \(totalBytesSent)/\(totalBytesExpectedToSend) of \(name(task))")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        state.withLock { $0.tasks.append(task) }
        guard let error = error as? URLError else { return add("\(name(task)) completed") }
        state.withLock { $0.errors.append(error) }
        add("\(name(task)) failed \(error.code.rawValue)")
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        add("became invalid")
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        add("all events of \(session.configuration.identifier ?? "?")")
        Podcasts.finish()
    }
}

/// The functions of the app that the tests call.
enum Podcasts {
    static let session = "com.example.podcasts.transfers"
    static let refresh = "com.example.podcasts.refresh"

    fileprivate static let handlers = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])

    static func scheduler() -> SimulatedScheduler {
        SimulatedScheduler(tasks: [session: .transfer, refresh: .appRefresh])
    }

    static func background(
        _ delegate: any URLSessionDelegate, queue: OperationQueue? = nil,
        _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> URLSession {
        let configuration = URLSessionConfiguration.background(withIdentifier: session)
        change(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    static func url(_ name: String) -> URL {
        URL(string: "https://example.com/\(name)") ?? URL(fileURLWithPath: "/")
    }

    /// Creates a transfer that no session of this process knows; returns its identifier.
    static func createInEarlierLaunch(
        _ name: String, description: String? = nil
    ) throws -> Int {
        var request = PluginTransferRequest(session: session, url: url(name).absoluteString)
        request.description = description
        guard let attempt = PluginRuntime.current.currentTask else { return 0 }
        return Int(try attempt.createTransfer(request))
    }

    static func finish() {
        let runtime = ObjectIdentifier(PluginRuntime.current)
        handlers.withLock { $0.removeValue(forKey: runtime) }?()
    }
}

/// The app of these tests: it keeps the session's completion handler until `finish`.
final class PodcastsDelegate: NSObject, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: Podcasts.refresh, using: .main) {
            $0.setTaskCompleted(success: true)
        }
        return true
    }

    func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping @Sendable () -> Void
    ) {
        PluginRuntime.current.log(.info, "handle events of \(identifier)")
        let runtime = ObjectIdentifier(PluginRuntime.current)
        Podcasts.handlers.withLock { $0[runtime] = completionHandler }
    }
}
