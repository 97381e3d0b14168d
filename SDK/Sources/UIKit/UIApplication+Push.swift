// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

extension UIApplication {
    /// Every attempt of kind `push` goes to the delegate, unless its identifier has a launch handler.
    func registerForPushes() {
        let handler = PluginHandler { task in
            Task { @MainActor in
                self.receivePush(task)
                task.handlerReturned.send()
            }
            return { _ in self.work.cancel() }
        }
        if case .alreadyRegistered = runtime.register(.push, handler) {
            report("Pushes have a handler already: launch one app delegate only.")
        }
    }

    private func receivePush(_ task: PluginTask) {
        guard let delegate else { return }
        delegate.application(self, didReceiveRemoteNotification: Payload.read(task)) { result in
            task.complete(success: result != .failed, message: result.message)
        }
    }

    /// Runs the delegate's async form; expiration cancels it.
    func receive(
        _ completionHandler: @escaping @Sendable (UIBackgroundFetchResult) -> Void,
        _ action: @escaping @MainActor () async -> UIBackgroundFetchResult
    ) {
        self.work.begin(Task { completionHandler(await action()) })
    }
}

/// The Swift task of a push or of a session's events. One attempt runs at a time, so there is one.
final class CallbackWork: Sendable {
    private let work = Mutex<Task<Void, Never>?>(nil)

    func begin(_ task: Task<Void, Never>) {
        work.withLock { $0 = task }
    }

    func cancel() {
        work.withLock(\.self)?.cancel()
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
