// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
public import FoundationNetworking

/// A group of transfers. With a background configuration, bgrun performs them, even while no process of
/// the app runs; without one, FoundationNetworking does.
///
/// Thread-safe.
///
/// `@unchecked Sendable`: mutable state is behind the locks of its parts.
open class URLSession: NSObject, @unchecked Sendable {
    public typealias AuthChallengeDisposition =
        FoundationNetworking.URLSession.AuthChallengeDisposition
    public typealias ResponseDisposition = FoundationNetworking.URLSession.ResponseDisposition

    /// The action for a task whose date has come.
    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading, useNewRequest, cancel
    }

    enum Backing {
        case background(BackgroundSession)
        case plain(PlainSession)
    }

    let backing: Backing
    private let given: URLSessionConfiguration
    /// The queue that the delegate's methods are called on.
    public let delegateQueue: OperationQueue
    /// For the app's use.
    open var sessionDescription: String?

    /// The session of FoundationNetworking that needs no configuration.
    open class var shared: URLSession { Self.sharedSession }
    private static let sharedSession = URLSession(
        .plain(PlainSession(nil, nil, .main)), .default, OperationQueue())

    /// A copy of the configuration it was created with.
    open var configuration: URLSessionConfiguration { given.snapshot }

    /// Receives the events; retained until the session is invalidated.
    open var delegate: (any URLSessionDelegate)? {
        switch backing {
        case .background(let session): session.delegate
        case .plain(let session): session.delegate
        }
    }

    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// - Parameter queue: nil: a new serial queue.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {
        let snapshot = configuration.snapshot
        let queue = queue ?? Self.serialQueue()
        delegate.map(Self.warn)
        guard let identifier = snapshot.identifier else {
            let session = PlainSession(snapshot, delegate, queue)
            self.init(.plain(session), snapshot, queue)
            session.open(for: self)
            return
        }
        let session = BackgroundSession(identifier, snapshot, delegate, queue)
        self.init(.background(session), snapshot, queue)
        session.open(for: self)
    }

    private init(
        _ backing: Backing, _ configuration: URLSessionConfiguration, _ queue: OperationQueue
    ) {
        self.backing = backing
        given = configuration
        delegateQueue = queue
        super.init()
    }

    /// Warns of methods that are not called, for the most specific inherited protocol.
    private static func warn(of delegate: any URLSessionDelegate) {
        let protocols: [(name: String, adopts: (AnyClass) -> Bool)] = [
            ("URLSessionDownloadDelegate", { $0 is any URLSessionDownloadDelegate.Type }),
            ("URLSessionDataDelegate", { $0 is any URLSessionDataDelegate.Type }),
            ("URLSessionTaskDelegate", { $0 is any URLSessionTaskDelegate.Type }),
            ("URLSessionDelegate", { $0 is any URLSessionDelegate.Type }),
        ]
        let type = type(of: delegate)
        guard let parent = _getSuperclass(type),
            let inherited = protocols.first(where: { $0.adopts(parent) })
        else { return }
        InheritedDelegate.warn(
            of: type, inherited.name, PluginRuntime.current, adopts: inherited.adopts)
    }

    private static func serialQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    // MARK: tasks

    /// Passes the tasks that have not completed. For a background session, on the delegate queue, and
    /// before the first attempt at its launch; for another one, the tasks that notify its delegate.
    open func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        switch backing {
        case .background(let session): session.getTasks(completionHandler)
        case .plain(let session): completionHandler(session.tasks)
        }
    }

    /// The same, by kind.
    open func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        getAllTasks { tasks in
            completionHandler(
                tasks.compactMap {
                    $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask
                }, tasks.compactMap { $0 as? URLSessionUploadTask },
                tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    open var allTasks: [URLSessionTask] {
        get async {
            await withCheckedContinuation { continuation in
                getAllTasks { continuation.resume(returning: $0) }
            }
        }
    }

    open var tasks: ([URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]) {
        get async {
            await withCheckedContinuation { continuation in
                getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
            }
        }
    }

    // MARK: end

    /// Accepts no more tasks, and releases the delegate when the present ones are done.
    open func finishTasksAndInvalidate() {
        switch backing {
        case .background(let session): session.invalidate(cancellingTasks: false)
        case .plain(let session): session.foundation.finishTasksAndInvalidate()
        }
    }

    /// Cancels its tasks and releases the delegate.
    open func invalidateAndCancel() {
        switch backing {
        case .background(let session): session.invalidate(cancellingTasks: true)
        case .plain(let session): session.foundation.invalidateAndCancel()
        }
    }

    /// Nothing is buffered; calls the handler on the delegate queue.
    open func flush(completionHandler: @escaping @Sendable () -> Void) {
        delegateQueue.addOperation(completionHandler)
    }

    /// The same.
    open func reset(completionHandler: @escaping @Sendable () -> Void) {
        delegateQueue.addOperation(completionHandler)
    }
}
