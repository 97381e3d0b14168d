// SPDX-License-Identifier: Apache-2.0

/// What runs when a task with a certain identifier is launched.
public struct PluginHandler: Sendable {
    /// Starts an attempt, on the process's main thread, and returns what is done when its time is
    /// revoked. It must return soon: the work belongs on a queue or in a Swift task.
    ///
    /// What it returns is called at most once, on a thread of bgrun's, and must return soon, too.
    /// Whoever started the work completes the attempt on every path.
    public let launch: @Sendable (PluginTask) -> @Sendable (PluginExpiration) -> Void

    public init(
        launch: @escaping @Sendable (PluginTask) -> @Sendable (PluginExpiration) -> Void
    ) {
        self.launch = launch
    }
}

/// What becomes of a registration.
public enum PluginRegistration: Sendable {
    case registered
    /// The manifest does not permit the identifier.
    case undeclared
    /// It has a handler already; the old one stays.
    case alreadyRegistered
    /// Registration is over: `main` has returned, and the task is not of kind `continued`.
    case late
}
