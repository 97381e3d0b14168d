// SPDX-License-Identifier: Apache-2.0

public import BGRunFoundation
import BGRunPluginRuntime
public import Foundation
public import FoundationNetworking
import Synchronization

/// One download or upload. Initially suspended: set its properties, then `resume` it.
///
/// Thread-safe.
///
/// `@unchecked Sendable`: all mutable state is behind a lock, or in `Progress`, which locks.
open class URLSessionTask: NSObject, ProgressReporting, @unchecked Sendable {
    public enum State: Int, Sendable {
        case running, suspended, canceling, completed
    }

    public static let defaultPriority: Float = 0.5
    public static let lowPriority: Float = 0.25
    public static let highPriority: Float = 0.75

    /// The implementation.
    enum Backing {
        case background(BackgroundSession)
        case plain(FoundationNetworking.URLSessionTask)
    }

    struct Values {
        /// The host's id; nil until the host has created it.
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
    /// Locked while the host creates it, so that this happens once.
    let creation = Mutex(())
    /// Locked while the task follows its progress.
    private let following = Mutex(())
    /// For an upload, the source.
    let source: URL?
    /// For a download that continues another one.
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

    /// As on Apple's platforms, cancelling, pausing and resuming the progress affects the task.
    private func obeyProgress() {
        progress.isCancellable = true
        progress.isPausable = true
        progress.cancellationHandler = { [weak self] in self?.cancel() }
        progress.pausingHandler = { [weak self] in self?.followProgress() }
        progress.resumingHandler = { [weak self] in self?.followProgress() }
    }

    /// Foundation calls the handlers on concurrent threads: the last one sees the final state.
    private func followProgress() {
        following.withLock { _ in
            if progress.isPaused { suspend() } else { resume() }
        }
    }

    // MARK: identity and state

    /// Unique in its session, and unchanged after a relaunch. Reading it creates the task at the host,
    /// suspended: set its properties before.
    open var taskIdentifier: Int {
        switch backing {
        case .background(let session): Int(session.identify(self))
        case .plain(let task): task.taskIdentifier
        }
    }

    open var originalRequest: URLRequest? { values.withLock(\.originalRequest) }
    open var currentRequest: URLRequest? { values.withLock(\.originalRequest) }

    /// An HTTPURLResponse once the task has completed; for a background task without the URL after
    /// redirects, unless the host knows it.
    open var response: URLResponse? {
        if case .plain(let task) = backing { return task.response }
        return values.withLock(\.response)
    }

    /// The cause of a failure.
    open var error: (any Error)? {
        if case .plain(let task) = backing { return task.error }
        return values.withLock(\.error)
    }

    /// The state known to this process; `getAllTasks` asks the host.
    open var state: State {
        if case .plain(let task) = backing {
            return State(rawValue: task.state.rawValue) ?? .running
        }
        return values.withLock(\.state)
    }

    // MARK: properties set by the app

    /// For the app's use; kept across launches. Set it before `resume`.
    open var taskDescription: String? {
        get { values.withLock(\.taskDescription) }
        set { configure("taskDescription") { $0.taskDescription = newValue } }
    }

    /// The earliest start. Set it before `resume`.
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

    /// Stored without effect.
    open var priority: Float {
        get { values.withLock(\.priority) }
        set { values.withLock { $0.priority = newValue } }
    }

    /// Retained with the task, but never called.
    open var delegate: (any URLSessionTaskDelegate)? {
        get { values.withLock(\.delegate) }
        set { values.withLock { $0.delegate = newValue } }
    }

    /// Stored without effect.
    open var prefersIncrementalDelivery: Bool {
        get { values.withLock(\.prefersIncrementalDelivery) }
        set { values.withLock { $0.prefersIncrementalDelivery = newValue } }
    }

    // MARK: progress

    /// Bytes of the body, as last reported by the host.
    open var countOfBytesReceived: Int64 { count(\.received, \.countOfBytesReceived) }
    open var countOfBytesExpectedToReceive: Int64 {
        count(\.totalToReceive, \.countOfBytesExpectedToReceive)
    }
    open var countOfBytesSent: Int64 { count(\.sent, \.countOfBytesSent) }
    open var countOfBytesExpectedToSend: Int64 {
        count(\.totalToSend, \.countOfBytesExpectedToSend)
    }
    /// In bytes; for a background task, as last reported by the host.
    public let progress: Progress

    // MARK: commands

    /// Starts or continues it. Blocks until the host has stored that.
    open func resume() {
        switch backing {
        case .background(let session): session.resume(self)
        case .plain(let task): task.resume()
        }
    }

    /// Pauses it until `resume`. Blocks until the host has stored that.
    open func suspend() {
        switch backing {
        case .background(let session): session.suspend(self)
        case .plain(let task): task.suspend()
        }
    }

    /// Ends it; the delegate receives `URLError.cancelled`. Blocks until the host has stored that.
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

/// The value for an unknown number of bytes.
public let NSURLSessionTransferSizeUnknown: Int64 = -1

/// The user info key of the data that a failed download can be resumed with.
public let NSURLSessionDownloadTaskResumeData = "NSURLSessionDownloadTaskResumeData"

/// A task that keeps the response in memory; not for background sessions.
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

/// A task that sends a file.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}

/// A task that downloads a file.
open class URLSessionDownloadTask: URLSessionTask, @unchecked Sendable {
    /// Ends it and keeps the received bytes: a task created with that data continues from there. The
    /// data is nil if the server does not support that. The handler is called on the delegate queue,
    /// then the delegate with `URLError.cancelled`.
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
