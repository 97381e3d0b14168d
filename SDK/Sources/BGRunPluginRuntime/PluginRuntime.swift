// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin
import Synchronization

/// A plugin's side of bgrun: its registered handlers, and its running attempt.
///
/// A process has one, `process`. Tests create separate ones and attach them to their own hosts.
public final class PluginRuntime: Sendable {
    public enum LogLevel: UInt32, Hashable, Sendable, CaseIterable {
        case debug, info, warning, error
    }

    /// The runtime that `bgrun_plugin_entry` attaches to the host.
    public static let process = PluginRuntime()

    @TaskLocal private static var override: PluginRuntime?

    /// The runtime of the calling code: that of its handler, else `process`.
    public static var current: PluginRuntime { override ?? process }

    let state = Mutex(State())
    private let misuse: @Sendable (String) -> Void

    struct State {
        var host: HostTable?
        var phase = Phase.registering
        var handlers: [String: PluginHandler] = [:]
        /// The kinds that handlers are written for, if specified.
        var expectedKinds: [String: PluginTask.Kind] = [:]
        var kindHandlers: [PluginTask.Kind: PluginHandler] = [:]
        /// The handler that runs after the user has used the app.
        var visitHandler: PluginHandler?
        var observers: [PluginObserver] = []
        var device = PluginDevice()
        var isInForeground = false
        var task: PluginTask?
        /// The expiration handler of `task`, until it is called.
        var expire: (@Sendable (PluginExpiration) -> Void)?
        /// An expiration that arrived before the launch of its task had returned.
        var early: (handle: UInt, expiration: PluginExpiration)?
        /// Requests from before the first attempt.
        var heldRequests: [PluginRequest] = []
    }

    enum Phase {
        case registering
        case registered
    }

    /// - Parameter misuse: called with a sentence when the plugin breaks a rule for which Apple raises
    ///   an exception. The default ends the process, so that the attempt counts as crashed.
    public init(misuse: @escaping @Sendable (String) -> Void = { fatalError($0) }) {
        self.misuse = misuse
    }

    /// The implementation of a plugin's `main`: `register` registers handlers, on the main thread, and
    /// returns.
    public static func launch(_ register: () throws -> Void) rethrows {
        try register()
    }

    /// Runs `body`, and the Swift tasks it starts, with this runtime as `current`.
    public func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard self !== Self.process else { return try body() }
        return try Self.$override.withValue(self, operation: body)
    }

    /// The same for a body that suspends.
    package nonisolated(nonsending) func withCurrent<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        try await Self.$override.withValue(self, operation: body)
    }

    /// Reports a broken rule; see `init(misuse:)`.
    public func report(misuse text: String) {
        log(.error, text)
        misuse(text)
    }

    /// Writes one line to the host's log; does nothing without a host.
    public func log(_ level: LogLevel, _ message: String) {
        guard let host = state.withLock({ $0.host }) else { return }
        _ = host.functions.log(host.pointer, currentTask?.handle, level.rawValue, message)
    }

    /// The manifest's `app` (Apple: the bundle identifier); nil without an app, or if the
    /// host is too old.
    public var appIdentifier: String? {
        guard let app = state.withLock({ $0.host })?.app?.pointee.app else { return nil }
        return String(cString: app)
    }

    /// The latest device readings from the host: first those at the launch of the process (unknown with
    /// a host older than ABI 1.5), then those of attempts.
    public var device: PluginDevice { state.withLock(\.device) }

    /// Whether the user is using the app; UIKit's application sets it. Thread-safe.
    package var isInForeground: Bool {
        get { state.withLock(\.isInForeground) }
        set { state.withLock { $0.isInForeground = newValue } }
    }

    /// The last launched attempt, ended or not; nil before the first.
    public var currentTask: PluginTask? { state.withLock { $0.task } }
}
