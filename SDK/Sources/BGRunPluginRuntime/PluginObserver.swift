// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What is told of every attempt, beside its handler.
public struct PluginObserver: Sendable {
    /// An attempt begins; its handler is launched when this returns. On the thread of the launch.
    public let willLaunch: @Sendable (PluginTask) -> Void
    /// The time of the current attempt is revoked; its handler is told when this returns. On a
    /// thread of bgrun's, also after the completion of an attempt that is held open.
    public let willExpire: @Sendable (PluginExpiration) -> Void
    /// An attempt is over: it is completed, and nothing holds it. On the thread of the launch, before
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
    /// Adds an observer, for good.
    public func add(_ observer: PluginObserver) {
        state.withLock { $0.observers.append(observer) }
    }

    var observers: [PluginObserver] { state.withLock(\.observers) }
}
