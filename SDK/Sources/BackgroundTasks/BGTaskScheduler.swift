// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// Registers what runs for a task, and asks for it to be run. bgrun's host decides when.
public final class BGTaskScheduler: NSObject, Sendable {
    /// What it registers with and submits to.
    public let runtime: PluginRuntime

    private static let ofProcess = BGTaskScheduler(runtime: .process)

    /// The scheduler of this plugin.
    public class var shared: BGTaskScheduler {
        let runtime = PluginRuntime.current
        return runtime === PluginRuntime.process ? ofProcess : BGTaskScheduler(runtime: runtime)
    }

    /// A scheduler on a runtime of one's own, for tests.
    public init(runtime: PluginRuntime) {
        self.runtime = runtime
    }

    /// Registers what runs for an identifier, or for all of a pattern that ends in `.*`. Must be
    /// called before the launch of the plugin is over, except for tasks of kind `continued`.
    ///
    /// Ends the process, as Apple's does, when the identifier has a handler already, or when the
    /// launch is over.
    /// - Parameters:
    ///   - queue: serial; where the launch and the expiration handler are called. nil: a serial
    ///     background queue of this task's own.
    ///   - launchHandler: is given the subclass that the task's kind calls for.
    /// - Returns: false when the manifest does not permit the identifier.
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

    /// What this machine has for continued tasks.
    public class var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        GraphicsProcessor.isUsable() ? .gpu : []
    }
}
