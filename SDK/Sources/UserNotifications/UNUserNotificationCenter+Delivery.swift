// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

extension UNUserNotificationCenter {
    /// The maximum number of stored delivered notifications; the oldest are removed first.
    private static let deliveredLimit = 100

    /// Delivers a pending request at the next date of its trigger, and again if that repeats.
    func wait(for request: UNNotificationRequest) {
        guard let date = request.trigger?.next(after: Date()) else { return }
        runtime.log(
            .info, "notification \(request.identifier) is due at \(date), if the app runs then")
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + max(0, date.timeIntervalSinceNow)
        ) { [self] in
            let isPending = state.withLock { state in
                guard state.pending[request.identifier] === request else { return false }
                if request.trigger?.repeats != true { state.pending[request.identifier] = nil }
                return true
            }
            guard isPending else { return }
            deliver(request)
            if request.trigger?.repeats == true { wait(for: request) }
        }
    }

    /// Shows a notification. While the user uses the app, the delegate decides whether to; the
    /// attempt stays open until then.
    func deliver(_ request: UNNotificationRequest) {
        let notification = UNNotification(request, date: Date())
        let task = runtime.currentTask
        task?.hold()
        guard runtime.isInForeground, delegate != nil else { return show(notification, task) }
        let answer = PresentationAnswer { [self] options in
            guard options.isDisjoint(with: .visible) else { return show(notification, task) }
            log(
                notification,
                " (not shown: the app is in the foreground, and its delegate asks for neither "
                    + "a banner nor a list)")
            task?.release()
        }
        runtime.withCurrent {
            _ = Task { @MainActor in self.ask(answer, about: notification) }
        }
    }

    /// Calls the delegate on the main thread, as iOS does. A released delegate decides nothing.
    @MainActor
    private func ask(_ answer: PresentationAnswer, about notification: UNNotification) {
        guard let delegate else { return answer.give(.visible) }
        delegate.userNotificationCenter(self, willPresent: notification) { answer.give($0) }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + answerLimit) {
            [weak answer] in answer?.give([])
        }
    }

    private func show(_ notification: UNNotification, _ task: PluginTask?) {
        let request = notification.request
        state.withLock { state in
            state.delivered.removeAll { $0.request.identifier == request.identifier }
            state.delivered.append(notification)
            if state.delivered.count > Self.deliveredLimit { state.delivered.removeFirst() }
        }
        log(notification, "")
        let content = request.content
        DispatchQueue.global(qos: .utility).async { [runtime] in
            Desktop().show(
                app: runtime.appIdentifier ?? "bgrun", title: content.title,
                body: content.lines.joined(separator: "\n"),
                urgency: content.interruptionLevel.urgency)
            task?.release()
        }
    }

    private func log(_ notification: UNNotification, _ remark: String) {
        let content = notification.request.content
        let texts = [content.title].filter { !$0.isEmpty } + content.lines
        runtime.log(
            .info,
            "notification \(notification.request.identifier): "
                + texts.joined(separator: " | ") + remark)
    }
}

extension UNNotificationContent {
    /// The lines below the title.
    fileprivate var lines: [String] { [subtitle, body].filter { !$0.isEmpty } }
}

extension UNNotificationPresentationOptions {
    /// Any of these shows a notification: a desktop does not distinguish them.
    fileprivate static let visible: Self = [.banner, .list, .alert]
}

/// A delegate's answer to `willPresent`: the first counts, and a completion handler that is released
/// without a call means no options.
private final class PresentationAnswer: Sendable {
    private let action: Mutex<(@Sendable (UNNotificationPresentationOptions) -> Void)?>

    init(_ action: @escaping @Sendable (UNNotificationPresentationOptions) -> Void) {
        self.action = Mutex(action)
    }

    func give(_ options: UNNotificationPresentationOptions) {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        action?(options)
    }

    deinit { give([]) }
}
