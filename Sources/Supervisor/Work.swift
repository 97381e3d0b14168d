// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem

/// The supervisor's input for one attempt.
package struct Work {
    /// Selects the workers that can run it.
    package var key: WorkerKey
    package var launch: HostMessage.Launch
    /// The listening socket for the attempt; open until it is launched.
    package var socket: Int32?
    /// Read when it is prepared; the launch names them.
    package var secrets: [Secret] = []
    /// Their copies for the worker.
    var openSecrets: OpenSecrets?
    /// When its wait for its worker began, on CLOCK_BOOTTIME.
    var waitsSince: Int64?

    package init(key: WorkerKey, launch: HostMessage.Launch, socket: Int32? = nil) {
        self.key = key
        self.launch = launch
        self.socket = socket
    }

    /// The descriptors that go with the launch: those of its secrets, then the socket.
    var passed: [Int32] { (openSecrets?.descriptors ?? []) + (socket.map { [$0] } ?? []) }

    /// The same, with its deadline at that elapsed instant; nil: unchanged.
    func ending(at deadlineElapsed: Int64?) -> Work {
        guard let deadlineElapsed else { return self }
        var work = self
        work.launch.deadlineBoottime = deadlineElapsed
        return work
    }

    /// The same, with its time starting at `now`, since it has waited until then.
    func beginning(at now: Int64) -> Work {
        guard let since = waitsSince else { return self }
        let waited = now.saturatingSubtracting(since)
        return ending(at: launch.deadlineBoottime.saturatingAdding(waited))
    }
}

/// The common properties of attempts that may run in the same worker.
package struct WorkerKey: Hashable, Sendable {
    /// The plugin's name in the manifest; nil for foreign functions.
    package var plugin: String?
    /// Variables in addition to the host's own environment.
    package var environment: [String: String]
    /// What its handlers may do; nil: all that the user may.
    package var confinement: Confinement?

    package init(
        plugin: String?, environment: [String: String], confinement: Confinement? = nil
    ) {
        self.plugin = plugin
        self.environment = environment
        self.confinement = confinement
    }

    /// The key of a worker whose app has a home.
    /// - Parameters:
    ///   - home: The app's home, an absolute path, unless `own` defines it.
    ///   - own: The task's environment variables. Their names are passed on: the Swift SDK replaces
    ///     an inherited TMPDIR, but not one of the task.
    package init(
        plugin: String?, home: String, own: [String: String], confinement: Confinement? = nil
    ) {
        self.init(
            plugin: plugin,
            environment: [
                "BGRUN_APP_HOME": home,
                "BGRUN_APP_HOME_KEEP": own.keys.sorted().joined(separator: " "),
            ].merging(own) { $1 }, confinement: confinement)
    }
}

/// A plugin's file that has passed every check and is ready to be loaded.
package struct PluginImage {
    /// The path for display.
    package var displayPath: String
    /// The path that the worker opens if there is no descriptor.
    package var path: String
    /// The checked file itself, if its digest is pinned: the worker inherits and loads it. Owned by
    /// `owner`.
    var descriptor: Int32?
    /// Whether the worker loads the file that it inherits.
    package var isPinned: Bool { descriptor != nil }
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

/// Why no worker was started; the message names the check, the expected and the actual value.
package struct PluginRefusal: Error {
    package var message: String
    /// The file could not be inspected because of a temporary shortage of this resource.
    package var shortage: Resource?

    package init(message: String, shortage: Resource? = nil) {
        self.message = message
        self.shortage = shortage
    }
}

/// The numbers for the supervisor; see `Policy`.
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
    /// The prepared state of a launch that has not been requested yet.
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
