// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// One attempt, as the supervisor is asked to run it.
package struct Work {
    /// Which worker can run it.
    package var key: WorkerKey
    package var launch: HostMessage.Launch
    /// The listening socket the attempt is lent; open until it is launched.
    package var socket: Int32?
    /// Since when it waits for its worker, on CLOCK_BOOTTIME.
    var waitsSince: Int64?

    package init(key: WorkerKey, launch: HostMessage.Launch, socket: Int32? = nil) {
        self.key = key
        self.launch = launch
        self.socket = socket
    }

    /// The same, whose time runs out at that elapsed instant; nil: when it already says.
    func ending(at deadlineElapsed: Int64?) -> Work {
        guard let deadlineElapsed else { return self }
        var work = self
        work.launch.deadlineBoottime = deadlineElapsed
        return work
    }

    /// The same, whose time runs only from `now` on, for it has waited until then.
    func beginning(at now: Int64) -> Work {
        guard let since = waitsSince else { return self }
        let waited = now.saturatingSubtracting(since)
        return ending(at: launch.deadlineBoottime.saturatingAdding(waited))
    }
}

/// What two attempts must have in common to run in the same worker.
package struct WorkerKey: Hashable, Sendable {
    /// The plugin's name in the manifest; nil for foreign functions.
    package var plugin: String?
    /// Variables over the host's own environment.
    package var environment: [String: String]

    package init(plugin: String?, environment: [String: String]) {
        self.plugin = plugin
        self.environment = environment
    }

    /// A worker whose app has a home.
    /// - Parameters:
    ///   - home: The app's home, an absolute path, unless `own` defines it.
    ///   - own: The task's environment variables. Their names are passed on: the Swift SDK replaces
    ///     an inherited TMPDIR, but not one of the task.
    package init(plugin: String?, home: String, own: [String: String]) {
        self.init(
            plugin: plugin,
            environment: [
                "BGRUN_APP_HOME": home,
                "BGRUN_APP_HOME_KEEP": own.keys.sorted().joined(separator: " "),
            ].merging(own) { $1 })
    }
}

/// A plugin's file that has passed every check and is ready to be loaded.
package struct PluginImage {
    /// The file a person knows.
    package var displayPath: String
    /// What is opened in the worker when no descriptor is given.
    package var path: String
    /// The very file that was checked, when its digest is pinned: the worker inherits and loads it.
    /// Owned by `owner`.
    var descriptor: Int32?
    /// Keeps `descriptor` open until the worker is started.
    var owner: AnyObject?

    package init(
        displayPath: String, path: String, descriptor: Int32? = nil, owner: AnyObject? = nil
    ) {
        self.displayPath = displayPath
        self.path = path
        self.descriptor = descriptor
        self.owner = owner
    }
}

/// Why no worker was started; the message names the check, what was expected and found.
package struct PluginRefusal: Error {
    package var message: String
    /// The file could not be inspected because of a temporary shortage of this resource.
    var shortage: Resource?

    package init(message: String, shortage: Resource? = nil) {
        self.message = message
        self.shortage = shortage
    }
}

/// Numbers the supervisor goes by; see `Policy`.
package struct SupervisorLimits: Sendable {
    var warmWorkers: Int
    var warmIdle: Interval
    var outputLines: Int
    var outputLineBytes: Int
    /// How long to wait for a killed worker at the end.
    var endWait: Interval

    package init(_ policy: Policy) {
        warmWorkers = policy.warmWorkers
        warmIdle = policy.warmIdle
        outputLines = policy.outputLines
        outputLineBytes = policy.outputLineBytes
        endWait = policy.terminationWait
    }
}

extension Supervisor {
    /// What was prepared for a launch that has not been ordered yet.
    enum Prepared {
        case ready(WorkerProcess, Work)
        /// The worker runs another attempt first.
        case behind(WorkerProcess, Work)
        case refused(String)

        /// Nil for a refused launch, which stays refused.
        var work: Work? {
            get {
                switch self {
                case .ready(_, let work), .behind(_, let work): work
                case .refused: nil
                }
            }
            set {
                guard let newValue else { return }
                switch self {
                case .ready(let worker, _): self = .ready(worker, newValue)
                case .behind(let worker, _): self = .behind(worker, newValue)
                case .refused: break
                }
            }
        }
    }
}
