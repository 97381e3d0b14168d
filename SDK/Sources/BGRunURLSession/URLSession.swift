// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
public import FoundationNetworking

/// A group of transfers. One with a background configuration has them made by bgrun, also while no
/// process of the app is there; any other one is FoundationNetworking's.
///
/// May be used from any thread.
///
/// `@unchecked Sendable`: what changes is behind the locks of what it is made of.
open class URLSession: NSObject, @unchecked Sendable {
    public typealias AuthChallengeDisposition =
        FoundationNetworking.URLSession.AuthChallengeDisposition
    public typealias ResponseDisposition = FoundationNetworking.URLSession.ResponseDisposition

    /// What becomes of a task whose date has come.
    public enum DelayedRequestDisposition: Int, Sendable {
        case continueLoading, useNewRequest, cancel
    }

    enum Backing {
        case background(BackgroundSession)
        case plain(PlainSession)
    }

    let backing: Backing
    private let given: URLSessionConfiguration
    /// What the delegate's methods are called on.
    public let delegateQueue: OperationQueue
    /// The app's own.
    open var sessionDescription: String?

    /// The session of FoundationNetworking that needs no configuration.
    open class var shared: URLSession { Self.sharedSession }
    private static let sharedSession = URLSession(
        .plain(PlainSession(nil, nil, .main)), .default, OperationQueue())

    /// A copy of what it was made with.
    open var configuration: URLSessionConfiguration { given.snapshot }

    /// Told of what happens; held until the session is invalidated.
    open var delegate: (any URLSessionDelegate)? {
        switch backing {
        case .background(let session): session.delegate
        case .plain(let session): session.delegate
        }
    }

    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, delegate: nil, delegateQueue: nil)
    }

    /// - Parameter queue: nil: a serial one of its own.
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

    /// Warns of methods that are not called, of the most specific protocol that is inherited.
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

    // MARK: its tasks

    /// Hands over what has not completed. Of a background session on the delegate queue, and before the
    /// first attempt when that is launched; of another one the tasks its delegate is told of.
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

    // MARK: its end

    /// Takes no more tasks, and lets go of the delegate when those it has are done.
    open func finishTasksAndInvalidate() {
        switch backing {
        case .background(let session): session.invalidate(cancellingTasks: false)
        case .plain(let session): session.foundation.finishTasksAndInvalidate()
        }
    }

    /// Cancels its tasks and lets go of the delegate.
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
