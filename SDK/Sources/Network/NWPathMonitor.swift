// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
@_exported import Foundation
import Synchronization

/// The network at the launch of the current attempt; if unknown, an unmetered network is assumed.
public struct NWPath: Hashable, Sendable {
    /// Whether there is a network.
    public enum Status: Hashable, Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    public let status: Status
    /// The network is metered.
    public let isExpensive: Bool

    /// Always false.
    public var isConstrained: Bool { false }
    public var supportsDNS: Bool { status == .satisfied }
    public var supportsIPv4: Bool { status == .satisfied }
    public var supportsIPv6: Bool { status == .satisfied }
    public var availableInterfaces: [NWInterface] { [] }

    init(_ device: PluginDevice?) {
        status = device?.hasNetwork == false ? .unsatisfied : .satisfied
        isExpensive = device?.isNetworkMetered == true
    }

    /// bgrun does not know interfaces: a metered network counts as cellular, an unmetered one as
    /// Wi-Fi.
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool {
        status == .satisfied && type == (isExpensive ? .cellular : .wifi)
    }
}

/// A network interface.
public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Hashable, Sendable, CaseIterable {
        case other, wifi, cellular, wiredEthernet, loopback
    }

    public let type: InterfaceType
    public let name: String
}

/// Reports the network when it is started, and when it differs from that of the previous attempt in
/// this process.
public final class NWPathMonitor: Sendable {
    private struct State {
        var handler: (@Sendable (NWPath) -> Void)?
        var queue: DispatchQueue?
        var path: NWPath
    }

    private let state: Mutex<State>

    public init() {
        state = Mutex(State(path: NWPath(PluginRuntime.current.currentTask?.readDevice())))
        PluginRuntime.current.add(
            PluginObserver(willLaunch: { [weak self] task in
                self?.update(NWPath(task.readDevice()))
            }))
    }

    public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
        self.init()
    }

    /// Called on the queue of `start`.
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { state.withLock(\.handler) }
        set { state.withLock { $0.handler = newValue } }
    }

    public var currentPath: NWPath { state.withLock(\.path) }

    public func start(queue: DispatchQueue) {
        let (handler, path) = state.withLock { state in
            state.queue = queue
            return (state.handler, state.path)
        }
        queue.async { handler?(path) }
    }

    public func cancel() {
        state.withLock { state in
            state.handler = nil
            state.queue = nil
        }
    }

    private func update(_ path: NWPath) {
        let (handler, queue) = state.withLock { state in
            defer { state.path = path }
            return state.path == path ? (nil, nil) : (state.handler, state.queue)
        }
        queue?.async { handler?(path) }
    }
}
