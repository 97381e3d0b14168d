// SPDX-License-Identifier: Apache-2.0

public import BGRunFoundation
import BGRunPluginRuntime
public import Foundation
public import FoundationNetworking
import Synchronization

/// One download or upload. It begins suspended: set what it needs to know, then `resume` it.
///
/// May be used from any thread.
///
/// `@unchecked Sendable`: all that changes is behind a lock, or `Progress`'s own.
open class URLSessionTask: NSObject, ProgressReporting, @unchecked Sendable {
    public enum State: Int, Sendable {
        case running, suspended, canceling, completed
    }

    public static let defaultPriority: Float = 0.5
    public static let lowPriority: Float = 0.25
    public static let highPriority: Float = 0.75

    /// Who does the work.
    enum Backing {
        case background(BackgroundSession)
        case plain(FoundationNetworking.URLSessionTask)
    }

    struct Values {
        /// At the host; nil until it is there.
        var id: Int64?
        var originalRequest: URLRequest?
        var response: URLResponse?
        var error: (any Error)?
        var state = State.suspended
        var taskDescription: String?
        var earliestBeginDate: Date?
        var expectedToSend = NSURLSessionTransferSizeUnknown
        var expectedToReceive = NSURLSessionTransferSizeUnknown
        var received: Int64 = 0
        var totalToReceive = NSURLSessionTransferSizeUnknown
        var sent: Int64 = 0
        var totalToSend = NSURLSessionTransferSizeUnknown
        var priority = URLSessionTask.defaultPriority
        weak var delegate: (any URLSessionTaskDelegate)?
        var prefersIncrementalDelivery = true
        /// Bytes reported to the delegate.
        var told: Int64 = 0
        /// The delegate's answer to an authentication challenge, and the number of challenges.
        var authorization: String?
        var challenges = 0
    }

    let backing: Backing
    let values: Mutex<Values>
    /// Held while the host is asked to create it, so that it does so once.
    let creation = Mutex(())
    /// Held while the task follows its progress.
    private let following = Mutex(())
    /// Of an upload what is sent.
    let source: URL?
    /// Of a download that continues where another one stopped.
    let resumeData: Data?

    init(
        _ backing: Backing, _ request: URLRequest?, source: URL? = nil, resumeData: Data? = nil
    ) {
        self.backing = backing
        self.source = source
        self.resumeData = resumeData
        var initial = Values()
        initial.originalRequest = request
        values = Mutex(initial)
        if case .plain(let task) = backing {
            progress = task.progress
        } else {
            progress = ObservedProgress(parent: nil)
            progress.totalUnitCount = -1
        }
        super.init()
        if case .background = backing { obeyProgress() }
    }

    /// As on Apple's platforms, cancelling, pausing and resuming the progress does so to the task.
    private func obeyProgress() {
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.followProgress() }
        progress.resumingHandler = { [weak self] in self?.followProgress() }
    }

    /// Foundation calls the handlers on concurrent threads: the last of them sees what holds.
    private func followProgress() {
        following.withLock { _ in
            if progress.isPaused { suspend() } else { resume() }
        }
    }

    // MARK: what it is

    /// Unique in its session, and the same after a relaunch. Asking for it hands the task to the host,
    /// suspended: set what it needs to know before.
    open var taskIdentifier: Int {
        switch backing {
        case .background(let session): Int(session.identify(self))
        case .plain(let task): task.taskIdentifier
        }
    }

    open var originalRequest: URLRequest? { values.withLock(\.originalRequest) }
    open var currentRequest: URLRequest? { values.withLock(\.originalRequest) }

    /// An HTTPURLResponse once the task has completed; of a background task without the URL that
    /// redirects led to, unless the host knows it.
    open var response: URLResponse? {
        if case .plain(let task) = backing { return task.response }
        return values.withLock(\.response)
    }

    /// Why it failed.
    open var error: (any Error)? {
        if case .plain(let task) = backing { return task.error }
        return values.withLock(\.error)
    }

    /// What is known of it in this process; `getAllTasks` asks the host.
    open var state: State {
        if case .plain(let task) = backing {
            return State(rawValue: task.state.rawValue) ?? .running
        }
        return values.withLock(\.state)
    }

    // MARK: what the app says of it

    /// The app's own; kept across launches. Set it before `resume`.
    open var taskDescription: String? {
        get { values.withLock(\.taskDescription) }
        set { configure("taskDescription") { $0.taskDescription = newValue } }
    }

    /// Not before this date. Set it before `resume`.
    open var earliestBeginDate: Date? {
        get { values.withLock(\.earliestBeginDate) }
        set { configure("earliestBeginDate") { $0.earliestBeginDate = newValue } }
    }

    /// Bytes, for planning; `NSURLSessionTransferSizeUnknown` unless set.
    open var countOfBytesClientExpectsToSend: Int64 {
        get { values.withLock(\.expectedToSend) }
        set { configure("countOfBytesClientExpectsToSend") { $0.expectedToSend = newValue } }
    }

    /// Bytes, for planning; `NSURLSessionTransferSizeUnknown` unless set.
    open var countOfBytesClientExpectsToReceive: Int64 {
        get { values.withLock(\.expectedToReceive) }
        set { configure("countOfBytesClientExpectsToReceive") { $0.expectedToReceive = newValue } }
    }

    /// Remembered, and of no effect.
    open var priority: Float {
        get { values.withLock(\.priority) }
        set { values.withLock { $0.priority = newValue } }
    }

    /// Remembered as long as the app holds it; told of nothing.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { values.withLock(\.delegate) }
        set { values.withLock { $0.delegate = newValue } }
    }

    /// Remembered, and of no effect.
    open var prefersIncrementalDelivery: Bool {
        get { values.withLock(\.prefersIncrementalDelivery) }
        set { values.withLock { $0.prefersIncrementalDelivery = newValue } }
    }

    // MARK: how far it is

    /// Bytes of the body, as of the last look at the host.
    open var countOfBytesReceived: Int64 { count(\.received, \.countOfBytesReceived) }
    open var countOfBytesExpectedToReceive: Int64 {
        count(\.totalToReceive, \.countOfBytesExpectedToReceive)
    }
    open var countOfBytesSent: Int64 { count(\.sent, \.countOfBytesSent) }
    open var countOfBytesExpectedToSend: Int64 {
        count(\.totalToSend, \.countOfBytesExpectedToSend)
    }
    /// In bytes; of a background task as of the last look at the host.
    public let progress: Progress

    // MARK: what it is told

    /// Starts it, or lets it continue. Blocks until the host has stored it.
    open func resume() {
        switch backing {
        case .background(let session): session.resume(self)
        case .plain(let task): task.resume()
        }
    }

    /// Stops it until `resume`. Blocks until the host has stored that.
    open func suspend() {
        switch backing {
        case .background(let session): session.suspend(self)
        case .plain(let task): task.suspend()
        }
    }

    /// Ends it; the delegate is told with `URLError.cancelled`. Blocks until the host has stored that.
    open func cancel() {
        switch backing {
        case .background(let session): session.cancel(self)
        case .plain(let task): task.cancel()
        }
    }

    private func count(
        _ background: KeyPath<Values, Int64>,
        _ plain: KeyPath<FoundationNetworking.URLSessionTask, Int64>
    ) -> Int64 {
        if case .plain(let task) = backing { return task[keyPath: plain] }
        return values.withLock { $0[keyPath: background] }
    }

    private func configure(_ name: String, _ change: (inout Values) -> Void) {
        let isLate = values.withLock { values in
            change(&values)
            return values.id != nil && values.state != .completed
        }
        if isLate, case .background(let session) = backing {
            session.runtime.log(
                .warning,
                "\(name) was set after the task was handed to bgrun, which does not learn of it: "
                    + "set it before resume() and before taskIdentifier is read")
        }
    }
}

extension URLSessionTask: KeyValueObservable, ObservedToEnd {
    package var hasEnded: Bool { state == .completed }
}

/// What an unknown number of bytes is.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

/// The user info key of an error that comes with the data a download continues with.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// A task that keeps the answer in memory; in sessions that are not in the background.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a file.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// A task that fetches a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// Ends it and keeps what was fetched: a task made with that data continues there. The data is nil
    /// when the server's answer does not allow that. The handler is called on the delegate queue, then
    /// the delegate is told with `URLError.cancelled`.
    open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
        switch backing {
        case .background(let session): session.cancel(self, resumable: completionHandler)
        case .plain(let task as FoundationNetworking.URLSessionDownloadTask):
            task.cancel(byProducingResumeData: completionHandler)
        case .plain(let task):
            task.cancel()
            completionHandler(nil)
        }
    }

    /// The same in its async form.
    open func cancelByProducingResumeData() async -> Data? {
        await withCheckedContinuation { continuation in
            cancel { continuation.resume(returning: $0) }
        }
    }
}
