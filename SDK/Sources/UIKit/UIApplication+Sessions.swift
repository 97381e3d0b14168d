// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime

/// Handles the events of some background URL sessions.
package struct SessionHandler: Sendable {
    package let matches: @Sendable (_ session: String) -> Bool
    package let action: @Sendable (_ session: String) async -> Void

    package init(
        matches: @escaping @Sendable (String) -> Bool,
        action: @escaping @Sendable (String) async -> Void
    ) {
        self.matches = matches
        self.action = action
    }
}

extension UIApplication {
    /// Directs every attempt of kind `transfer` to the first handler that matches its identifier,
    /// else to the delegate, unless the identifier has a launch handler.
    func registerForSessions() {
        guard delegate != nil || !sessionHandlers.isEmpty else { return }
        let handler = PluginHandler { task in
            let work = CallbackWork()
            Task { @MainActor in
                self.work = work
                self.receiveSessionEvents(task, work)
                task.handlerReturned.send()
            }
            return { _ in work.cancel() }
        }
        if case .alreadyRegistered = runtime.register(.transfer, handler) {
            report("Sessions have a handler already: launch one app only.")
        }
    }

    private func receiveSessionEvents(_ task: PluginTask, _ work: CallbackWork) {
        let session = task.identifier
        if let handler = sessionHandlers.first(where: { $0.matches(session) }) {
            work.begin(
                Task {
                    await handler.action(session)
                    task.complete(success: !Task.isCancelled)
                })
        } else if let delegate {
            delegate.application(self, handleEventsForBackgroundURLSession: session) {
                task.complete(success: true)
            }
        } else {
            task.complete(success: false, message: "nothing handles the session \(session)")
        }
    }
}
