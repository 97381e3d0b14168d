// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import FoundationNetworking
import Synchronization

/// A background session in this process: its tasks, and its connection to the host.
///
/// `@unchecked Sendable`: all mutable state is in `state`; the rest are constants that may be used
/// from any thread; the configuration is an unchanged copy.
final class BackgroundSession: @unchecked Sendable {
    struct State {
        var session: URLSession?
        var delegate: (any URLSessionDelegate)?
        /// The tasks in this process, by the host's id.
        var tasks: [Int64: URLSessionTask] = [:]
        /// The actions that wait for an attempt, and their tasks.
        var waiting: [(task: URLSessionTask?, action: @Sendable () -> Void)] = []
        var isInvalid = false
        /// The attempt of the current or last delivery of events.
        var delivering: PluginTask?
        /// The number of active deliveries: the delegate is retained while events remain.
        var deliveries = 0
        /// Reports the progress of running tasks.
        var watch: ProgressWatch?
        /// The session for async methods.
        var awaited: FoundationNetworking.URLSession?

        var isOver: Bool {
            isInvalid && tasks.isEmpty && waiting.isEmpty && deliveries == 0
        }
    }

    let identifier: String
    let configuration: URLSessionConfiguration
    let runtime = PluginRuntime.current
    let queue: OperationQueue
    let state: Mutex<State>

    init(
        _ identifier: String, _ configuration: URLSessionConfiguration,
        _ delegate: (any URLSessionDelegate)?, _ queue: OperationQueue
    ) {
        self.identifier = identifier
        self.configuration = configuration
        self.queue = queue
        state = Mutex(State(delegate: delegate))
    }

    var delegate: (any URLSessionDelegate)? { state.withLock(\.delegate) }

    /// Takes part in attempts from now on, for the session that the app uses.
    func open(for session: URLSession) {
        state.withLock { $0.session = session }
        BackgroundSessions.add(self)
        if let attempt = runtime.currentTask, !attempt.isCompleted { begin(attempt) }
    }

    /// Transfers in this process, with the configuration of this session.
    var awaited: FoundationNetworking.URLSession {
        checkIsValid()
        let (session, isNew) = state.withLock { state in
            if let session = state.awaited { return (session, false) }
            let session = FoundationNetworking.URLSession(configuration: configuration.plain)
            state.awaited = session
            return (session, true)
        }
        if isNew {
            runtime.log(
                .warning,
                "async methods of the background session \(identifier) transfer in this process; "
                    + "use a delegate for transfers that outlive it")
        }
        return session
    }

    /// Reports a broken rule, for which Apple raises an exception.
    func checkIsValid() {
        guard state.withLock(\.isInvalid) else { return }
        runtime.report(misuse: "Task created in a session that has been invalidated")
    }

    // MARK: attempts

    /// Called at the start of an attempt, or in an attempt when the session is created.
    func begin(_ attempt: PluginTask) {
        // The session must not end before all of these are done.
        let waiting = state.withLock { state in
            state.deliveries += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        defer { countDelivery(-1) }
        for (_, action) in waiting { action() }
        let isOurs = attempt.kind == .transfer && attempt.identifier == identifier
        // These cause no launch, so they are delivered in any attempt.
        guard isOurs || !configuration.sessionSendsLaunchEvents else { return }
        deliverEvents(in: attempt, isAnnounced: isOurs)
    }

    // MARK: the delegate

    func tell(_ body: @escaping @Sendable (any URLSessionDelegate, URLSession) -> Void) {
        guard let operation = operation(body) else { return }
        queue.addOperation(operation)
    }

    /// Must not be called on the delegate queue.
    func tellAndWait(
        _ body: @escaping @Sendable (any URLSessionDelegate, URLSession) -> Void
    ) {
        guard let operation = operation(body) else { return }
        queue.addOperations([operation], waitUntilFinished: true)
    }

    private func operation(
        _ body: @escaping @Sendable (any URLSessionDelegate, URLSession) -> Void
    ) -> Operation? {
        let (delegate, session) = state.withLock { ($0.delegate, $0.session) }
        guard let delegate, let session else { return nil }
        return BlockOperation { [runtime] in
            runtime.withCurrent { body(delegate, session) }
        }
    }

    // MARK: tasks

    /// The task of a transfer: the app's, or one created again after a relaunch.
    func task(for transfer: PluginTransfer) -> URLSessionTask {
        state.withLock { state in
            if let known = state.tasks[transfer.id] { return known }
            let request = URLRequest(transfer)
            let task =
                transfer.options.contains(.upload)
                ? URLSessionUploadTask(
                    .background(self), request,
                    source: transfer.file.map { URL(fileURLWithPath: $0) })
                : URLSessionDownloadTask(.background(self), request)
            task.identify(transfer)
            state.tasks[transfer.id] = task
            return task
        }
    }

    func remember(_ task: URLSessionTask, _ id: Int64) {
        state.withLock { $0.tasks[id] = task }
    }

    /// Releases a finished task, and the session if it has only waited for that.
    func forget(_ task: URLSessionTask, _ id: Int64?) {
        let isLast = state.withLock { state in
            if let id { state.tasks[id] = nil }
            return state.isOver
        }
        if isLast { close() }
    }

    /// Counts the start and the end of a delivery of events.
    func countDelivery(_ change: Int) {
        let isLast = state.withLock { state in
            state.deliveries += change
            return change < 0 && state.isOver
        }
        if isLast { close() }
    }

    /// The host's id; 0 before the first attempt.
    func identify(_ task: URLSessionTask) -> Int64 {
        if let id = task.values.withLock(\.id) { return id }
        guard let attempt = runtime.currentTask else {
            runtime.log(
                .warning, "a task has no taskIdentifier before the first attempt is launched")
            return 0
        }
        return create(task, in: attempt)?.id ?? 0
    }

    func resume(_ task: URLSessionTask) {
        guard task.start() else { return }
        whenAttempt(for: task) { [self] attempt in
            guard let created = create(task, in: attempt) else { return }
            watchProgress(in: attempt)
            guard !created.isNew else { return }
            ask(task) { () throws(PluginHostError) in try attempt.resumeTransfer(created.id) }
        }
    }

    func suspend(_ task: URLSessionTask) {
        // A transfer that is being created gets the state that the task then has.
        guard let id = task.creation.withLock({ _ in task.suspendIfRunning() }) else { return }
        whenAttempt(for: task) { [self] attempt in
            ask(task) { () throws(PluginHostError) in try attempt.suspendTransfer(id) }
        }
    }

    func cancel(_ task: URLSessionTask) {
        guard task.creation.withLock({ _ in task.beginCancelling() }) else { return }
        whenAttempt(for: task) { [self] attempt in
            if let id = task.values.withLock(\.id) {
                guard
                    ask(task, { () throws(PluginHostError) in try attempt.cancelTransfer(id) })
                else { return }
            }
            end(task, URLError(.cancelled))
        }
    }

    func cancel(_ task: URLSessionTask, resumable: @escaping @Sendable (Data?) -> Void) {
        guard task.creation.withLock({ _ in task.beginCancelling() }) else {
            return queue.addOperation { resumable(nil) }
        }
        whenAttempt(for: task) { [self] attempt in
            var data: Data?
            if let id = task.values.withLock(\.id) {
                let isCancelled = ask(task) { () throws(PluginHostError) in
                    data = try attempt.cancelTransferResumably(id).map { Data($0) }
                }
                guard isCancelled else { return queue.addOperation { resumable(nil) } }
            }
            let kept = data
            queue.addOperation { [runtime] in runtime.withCurrent { resumable(kept) } }
            let info = kept.map { [NSURLSessionDownloadTaskResumeData: $0] } ?? [:]
            end(task, URLError(.cancelled, userInfo: info))
        }
    }

    /// Calls `completionHandler` on the delegate queue.
    func getTasks(_ completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        whenAttempt { [self] attempt in
            var tasks: [URLSessionTask] = []
            do throws(PluginHostError) {
                for transfer in try attempt.transfers(ofSession: identifier)
                where transfer.state != .completed {
                    let task = task(for: transfer)
                    task.update(transfer)
                    tasks.append(task)
                }
            } catch {
                attempt.log(.error, error.description)
            }
            let found = tasks
            queue.addOperation { [runtime] in
                runtime.withCurrent { completionHandler(found) }
            }
        }
    }

    func invalidate(cancellingTasks: Bool) {
        let (tasks, wasValid, isOver) = state.withLock { state in
            let wasValid = !state.isInvalid
            state.isInvalid = true
            let tasks = Array(state.tasks.values) + state.waiting.compactMap(\.task)
            return (tasks, wasValid, state.isOver)
        }
        guard wasValid else { return }
        if isOver { return close() }
        if cancellingTasks { for task in tasks { cancel(task) } }
    }

    /// Notifies the delegate, and releases it.
    private func close() {
        BackgroundSessions.remove(self)
        tell { delegate, session in
            delegate.urlSession(session, didBecomeInvalidWithError: nil)
        }
        state.withLock { state in
            state.delegate = nil
            state.session = nil
            state.watch = nil
        }
    }

    // MARK: the host

    /// Performs an action in the current attempt; before the first one, at its launch.
    private func whenAttempt(
        for task: URLSessionTask? = nil, _ action: @escaping @Sendable (PluginTask) -> Void
    ) {
        if let attempt = runtime.currentTask { return action(attempt) }
        state.withLock { state in
            state.waiting.append(
                (
                    task,
                    { [runtime] in
                        if let attempt = runtime.currentTask { action(attempt) }
                    }
                ))
        }
    }

    /// Creates the transfer at the host, running or suspended like the task, unless it already
    /// exists. Nil: creation failed, or the task was cancelled.
    private func create(
        _ task: URLSessionTask, in attempt: PluginTask
    ) -> (id: Int64, isNew: Bool)? {
        task.creation.withLock { _ in
            let (known, wanted) = task.values.withLock { ($0.id, $0.state) }
            if let known { return (known, false) }
            guard wanted == .running || wanted == .suspended else { return nil }
            do throws(PluginHostError) {
                let id = try attempt.createTransfer(
                    task.request(for: self, in: attempt, wanted == .suspended))
                task.values.withLock { $0.id = id }
                remember(task, id)
                if task.resumeData != nil, task.originalRequest == nil {
                    let known = try attempt.transfers(ofSession: identifier)
                    if let transfer = known.first(where: { $0.id == id }) {
                        task.identify(transfer)
                    }
                }
                return (id, true)
            } catch {
                attempt.log(.error, error.description)
                end(task, URLError(error))
                return nil
            }
        }
    }

    /// Returns whether the host has done it. A transfer that has ended meanwhile comes as an event.
    @discardableResult
    private func ask(
        _ task: URLSessionTask, _ body: () throws(PluginHostError) -> Void
    ) -> Bool {
        do throws(PluginHostError) {
            try body()
            return true
        } catch {
            if error.code != .notFound { runtime.log(.error, error.description) }
            return false
        }
    }

    func end(_ task: URLSessionTask, _ error: URLError) {
        task.values.withLock { values in
            values.state = .completed
            values.error = error
        }
        tell { delegate, session in
            (delegate as? any URLSessionTaskDelegate)?.urlSession(
                session, task: task, didCompleteWithError: error)
        }
        forget(task, task.values.withLock(\.id))
    }
}
