// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

extension UIApplication {
    /// Directs every attempt of kind `push` to the delegate, unless its identifier has a launch
    /// handler.
    func registerForPushes() {
        let handler = PluginHandler { task in
            let work = CallbackWork()
            Task { @MainActor in
                self.receivePushes(task, work)
                task.handlerReturned.send()
            }
            return { _ in work.cancel() }
        }
        if case .alreadyRegistered = runtime.register(.push, handler) {
            report("Pushes have a handler already: launch one app delegate only.")
        }
    }

    private func receivePushes(_ task: PluginTask, _ work: CallbackWork) {
        guard delegate != nil else {
            task.complete(success: false, message: "the app has no delegate to take a push")
            return
        }
        receive(Payload.held(for: task)[...], task, work, strongest: nil)
    }

    /// Passes the first payload to the delegate, and the others after that one is handled. Completes
    /// the attempt with the strongest result of all.
    private func receive(
        _ payloads: ArraySlice<String>, _ task: PluginTask, _ work: CallbackWork,
        strongest: UIBackgroundFetchResult?
    ) {
        guard let payload = payloads.first, let delegate else {
            task.complete((strongest ?? .noData).reported)
            return
        }
        // Payloads that are not passed in time are delivered again with the next attempt.
        guard !work.isCancelled || strongest == nil else {
            task.complete(.failed)
            return
        }
        let answer = FirstAnswer()
        // Work that the delegate's async form starts belongs to this attempt.
        self.work = work
        delegate.application(self, didReceiveRemoteNotification: Payload.read(payload)) { result in
            guard answer.isFirst() else { return }
            let strongest = UIBackgroundFetchResult.stronger(of: strongest, result)
            let rest = payloads.dropFirst()
            guard !rest.isEmpty else {
                task.complete(strongest.reported)
                return
            }
            self.runtime.withCurrent {
                _ = Task { @MainActor in self.receive(rest, task, work, strongest: strongest) }
            }
        }
    }

    /// Runs the delegate's async form; expiration cancels it.
    func receive(
        _ completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void,
        _ action: @escaping @MainActor () async -> UIBackgroundFetchResult
    ) {
        work.begin(Task { completionHandler(await action()) })
    }

    /// The same for an async form without a result.
    func run(
        _ action: @escaping @MainActor () async -> Void,
        then completionHandler: @escaping @Sendable () -> Void
    ) {
        work.begin(
            Task {
                await action()
                completionHandler()
            })
    }
}

/// The Swift task that handles a push or a session's events in one attempt, which may be cancelled
/// before it begins.
final class CallbackWork: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let state = Mutex(State())

    func begin(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    var isCancelled: Bool { state.withLock(\.isCancelled) }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

/// The first of several answers counts.
private final class FirstAnswer: Sendable {
    private let isAnswered = Mutex(false)

    func isFirst() -> Bool {
        isAnswered.withLock { isAnswered in
            defer { isAnswered = true }
            return !isAnswered
        }
    }
}

private enum Payload {
    /// The payloads of all held messages, oldest first; without any, the parameters are the payload.
    static func held(for task: PluginTask) -> [String] {
        do {
            let held = try task.pushMessages() ?? []
            return held.isEmpty ? [task.parametersJSON] : held.map(\.payloadJSON)
        } catch {
            task.log(.error, error.description)
            return [task.parametersJSON]
        }
    }

    /// A payload as a push's user info.
    static func read(_ json: String) -> [AnyHashable: Any] {
        (try? JSONSerialization.jsonObject(with: Data(json.utf8))) as? [String: Any] ?? [:]
    }
}

extension UIBackgroundFetchResult {
    /// The result that an attempt reports, of two from several pushes.
    fileprivate static func stronger(of one: Self?, _ other: Self) -> Self {
        guard let one, one.strength > other.strength else { return other }
        return one
    }

    private var strength: Int {
        switch self {
        case .noData: 0
        case .newData: 1
        case .failed: 2
        }
    }

    var reported: PluginPushResult {
        switch self {
        case .newData: .newData
        case .noData: .noData
        case .failed: .failed
        }
    }
}
