// SPDX-License-Identifier: Apache-2.0

/// The code for the launches of a task.
public struct PluginHandler: Sendable {
    /// Starts an attempt, on the process's main thread, and returns its expiration handler. Must
    /// return soon: the work belongs on a queue or in a Swift task.
    ///
    /// The expiration handler is called at most once, on a thread of bgrun, and must return soon,
    /// too. The code that starts the work must complete the attempt on every path.
    public let launch: @Sendable (PluginTask) -> @Sendable (PluginExpiration) -> Void

    public init(
        launch: @escaping @Sendable (PluginTask) -> @Sendable (PluginExpiration) -> Void
    ) {
        self.launch = launch
    }
}

/// The result of a registration.
public enum PluginRegistration: Sendable {
    case registered
    /// The manifest does not permit the identifier.
    case undeclared
    /// It already has a handler, which stays.
    case alreadyRegistered
    /// Registration is over: `main` has returned, and the task is not of kind `continued`.
    case late
}
