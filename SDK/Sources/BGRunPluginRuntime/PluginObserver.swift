// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Receives the events of every attempt, besides its handler.
public struct PluginObserver: Sendable {
    /// An attempt begins; its handler is launched after this returns. Called on the launch thread.
    public let willLaunch: @Sendable (PluginTask) -> Void
    /// The time of the current attempt is revoked; its handler is notified after this returns. Called
    /// on a thread of bgrun, also after the completion of an attempt that is held open.
    public let willExpire: @Sendable (PluginExpiration) -> Void
    /// An attempt is over: it is completed, and nothing holds it. Called on the launch thread, before
    /// the host may suspend the process; not called if the process ends before.
    public let didEnd: @Sendable (PluginTask) -> Void
    /// `PluginRuntime.device` has changed while an attempt runs. Called on a thread owned by bgrun.
    public let deviceDidChange: @Sendable () -> Void

    public init(
        willLaunch: @escaping @Sendable (PluginTask) -> Void = { _ in },
        willExpire: @escaping @Sendable (PluginExpiration) -> Void = { _ in },
        deviceDidChange: @escaping @Sendable () -> Void = {},
        didEnd: @escaping @Sendable (PluginTask) -> Void = { _ in }
    ) {
        self.willLaunch = willLaunch
        self.willExpire = willExpire
        self.deviceDidChange = deviceDidChange
        self.didEnd = didEnd
    }
}

extension PluginRuntime {
    /// Adds an observer permanently.
    public func add(_ observer: PluginObserver) {
        state.withLock { $0.observers.append(observer) }
    }

    var observers: [PluginObserver] { state.withLock(\.observers) }
}
