// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// Registers the handlers of tasks, and submits requests. bgrun's host decides when they run.
public final class BGTaskScheduler: NSObject, Sendable {
    /// The runtime for registrations and submissions.
    public let runtime: PluginRuntime

    private static let ofProcess = BGTaskScheduler(runtime: .process)

    /// The scheduler of this plugin.
    public class var shared: BGTaskScheduler {
        let runtime = PluginRuntime.current
        return runtime === PluginRuntime.process ? ofProcess : BGTaskScheduler(runtime: runtime)
    }

    /// A scheduler on a separate runtime, for tests.
    public init(runtime: PluginRuntime) {
        self.runtime = runtime
    }

    /// Registers the handler of an identifier, or of all that match a pattern that ends in `.*`.
    /// Must be called before the launch of the plugin is over, except for tasks of kind
    /// `continued`.
    ///
    /// Ends the process, as Apple's does, if the identifier already has a handler, or if the launch
    /// is over.
    /// - Parameters:
    ///   - queue: serial; the queue of the launch and the expiration handler. nil: a serial
    ///     background queue for this task.
    ///   - launchHandler: receives the subclass for the task's kind.
    /// - Returns: false if the manifest does not permit the identifier.
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
        launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        let callback = Callback(launchHandler)
        let queue = queue ?? DispatchQueue(label: "bgrun.\(identifier)", qos: .utility)
        let result = runtime.register(
            identifier,
            PluginHandler { [runtime] attempt in
                let task = BGTask.make(attempt, runtime: runtime, queue: queue)
                task.start(callback)
                return { task.expire($0) }
            })
        switch result {
        case .registered:
            return true
        case .undeclared:
            runtime.log(
                .error,
                "\(identifier) was not registered: permitted_identifiers of the manifest does not "
                    + "have it; write it there exactly like this")
        case .alreadyRegistered:
            runtime.report(
                misuse: "Launch handler for task with identifier \(identifier) has already been "
                    + "registered; register each identifier once")
        case .late:
            runtime.report(
                misuse: "All launch handlers must be registered before application finishes "
                    + "launching; register \(identifier) in init or didFinishLaunching")
        }
        return false
    }

    /// The resources of this machine for continued tasks.
    public class var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        GraphicsProcessor.isUsable() ? .gpu : []
    }
}
