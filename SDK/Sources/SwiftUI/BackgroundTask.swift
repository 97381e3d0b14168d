// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import UIKit

/// A reason for a background launch of an app, for `backgroundTask(_:action:)`.
public struct BackgroundTask<Request, Response>: Sendable {
    let trigger: BackgroundTaskTrigger
    /// Makes the argument of the action from the identifier.
    let request: @Sendable (String) -> Request
}

/// The attempts of an action.
enum BackgroundTaskTrigger: Sendable {
    case task(String, PluginTask.Kind)
    case urlSession(matching: @Sendable (String) -> Bool)
}

extension BackgroundTask {
    /// Attempts of kind `app-refresh` with this identifier.
    public static func appRefresh(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask<Void, Void>(trigger: .task(identifier, .appRefresh)) { _ in }
    }

    /// Attempts of kind `processing` with this identifier. Beyond Apple's framework.
    public static func processing(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask<Void, Void>(trigger: .task(identifier, .processing)) { _ in }
    }

    /// Attempts of kind `transfer` for the background URL session with this identifier.
    public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> {
        BackgroundTask<Void, Void>(trigger: .urlSession { $0 == identifier }) { _ in }
    }

    /// Attempts of kind `transfer` for the sessions whose identifier `matching` accepts. The action
    /// receives the identifier.
    public static func urlSession(
        matching: @escaping @Sendable (String) -> Bool
    ) -> BackgroundTask<String, Void> {
        BackgroundTask<String, Void>(trigger: .urlSession(matching: matching)) { $0 }
    }

    /// Attempts of kind `transfer` for any session. The action receives the identifier.
    public static var urlSession: BackgroundTask<String, Void> {
        urlSession { _ in true }
    }
}

extension Scene {
    /// Runs `action` in each attempt of `task`. The attempt is completed when the action returns.
    /// Revoking its time cancels the Swift task of the action.
    ///
    /// The handler is registered when the app is launched; an identifier that the manifest does not
    /// permit is reported in the log, as by `BGTaskScheduler.register`.
    public func backgroundTask<D: Sendable, R: Sendable>(
        _ task: BackgroundTask<D, R>, action: @escaping @Sendable (D) async -> R
    ) -> some Scene {
        BackgroundTaskScene(
            content: self,
            handler: BackgroundTaskHandler(trigger: task.trigger) { identifier in
                _ = await action(task.request(identifier))
            })
    }
}

/// An action and its attempts.
struct BackgroundTaskHandler: Sendable {
    let trigger: BackgroundTaskTrigger
    let action: @Sendable (_ identifier: String) async -> Void

    @MainActor
    func register(with application: UIApplication) {
        switch trigger {
        case .task(let identifier, let kind):
            register(identifier, kind, with: application.runtime)
        case .urlSession(let matches):
            application.sessionHandlers.append(SessionHandler(matches: matches, action: action))
        }
    }

    private func register(
        _ identifier: String, _ kind: PluginTask.Kind, with runtime: PluginRuntime
    ) {
        let handler = PluginHandler { task in
            let work = Task {
                await action(task.identifier)
                task.complete(success: !Task.isCancelled)
            }
            task.handlerReturned.send()
            return { _ in work.cancel() }
        }
        let what = "backgroundTask for \(identifier)"
        switch runtime.register(identifier, kind: kind, handler) {
        case .registered: break
        case .undeclared:
            runtime.log(
                .error,
                "\(what): the manifest does not permit it; add it to permitted_identifiers")
        case .alreadyRegistered:
            runtime.report(
                misuse: "\(what): it has a launch handler already; register it once")
        case .late:
            runtime.report(
                misuse: "\(what): launch handlers must be registered before launching is over")
        }
    }
}

private struct BackgroundTaskScene<Content: Scene>: PrimitiveScene {
    let content: Content
    let handler: BackgroundTaskHandler

    func collect(into contents: inout SceneContents) {
        contents.add(content)
        contents.backgroundTasks.append(handler)
    }
}
