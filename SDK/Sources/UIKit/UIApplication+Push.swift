// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

extension UIApplication {
    /// Every attempt of kind `push` goes to the delegate, unless its identifier has a launch
    /// handler.
    func registerForPushes() {
        let handler = PluginHandler { task in
            let work = CallbackWork()
            Task { @MainActor in
                self.work = work
                self.receivePush(task)
                task.handlerReturned.send()
            }
            return { _ in work.cancel() }
        }
        if case .alreadyRegistered = runtime.register(.push, handler) {
            report("Pushes have a handler already: launch one app delegate only.")
        }
    }

    private func receivePush(_ task: PluginTask) {
        guard let delegate else {
            task.complete(success: false, message: "the app has no delegate to take a push")
            return
        }
        delegate.application(self, didReceiveRemoteNotification: Payload.read(task)) { result in
            task.complete(success: result != .failed, message: result.message)
        }
    }

    /// Runs the delegate's async form; expiration cancels it.
    func receive(
        _ completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void,
        _ action: @escaping @MainActor () async -> UIBackgroundFetchResult
    ) {
        work.begin(Task { completionHandler(await action()) })
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

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}

private enum Payload {
    /// The parameters of the request, as a push's user info.
    static func read(_ task: PluginTask) -> [AnyHashable: Any] {
        let data = Data(task.parametersJSON.utf8)
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }
}

extension UIBackgroundFetchResult {
    fileprivate var message: String {
        switch self {
        case .newData: "new data"
        case .noData: "no data"
        case .failed: "failed"
        }
    }
}
