// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
@_exported import Foundation
import Synchronization

/// The last known network of the app; if unknown, an unmetered network is assumed.
public struct NWPath: Hashable, Sendable {
    /// Whether there is a network.
    public enum Status: Hashable, Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    /// The reason for a missing network.
    public enum UnsatisfiedReason: Hashable, Sendable {
        case notAvailable, cellularDenied, wifiDenied, localNetworkDenied, vpnInactive
    }

    public let status: Status
    /// The network is metered.
    public let isExpensive: Bool

    /// bgrun does not know the reason.
    public var unsatisfiedReason: UnsatisfiedReason { .notAvailable }
    /// Always false.
    public var isConstrained: Bool { false }
    public var supportsDNS: Bool { status == .satisfied }
    public var supportsIPv4: Bool { status == .satisfied }
    public var supportsIPv6: Bool { status == .satisfied }
    public var availableInterfaces: [NWInterface] { [] }

    init(_ device: PluginDevice) {
        status = device.hasNetwork == false ? .unsatisfied : .satisfied
        isExpensive = device.isNetworkMetered == true
    }

    /// bgrun does not distinguish interfaces: a metered network counts as cellular, an unmetered one
    /// as Wi-Fi.
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
        /// The running iterations.
        var waiting: [UUID: AsyncStream<NWPath>.Continuation] = [:]
    }

    private let state: Mutex<State>

    public init() {
        let runtime = PluginRuntime.current
        state = Mutex(State(path: NWPath(runtime.device)))
        runtime.add(
            PluginObserver(willLaunch: { [weak self] task in
                self?.update(NWPath(task.readDevice()))
            }))
    }

    /// bgrun does not distinguish interfaces: reports the network as a whole, as the next
    /// initializer does.
    public convenience init(requiredInterfaceType: NWInterface.InterfaceType) {
        self.init()
    }

    public convenience init(prohibitedInterfaceTypes: [NWInterface.InterfaceType]) {
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
        let waiting = state.withLock { state in
            state.handler = nil
            state.queue = nil
            defer { state.waiting = [:] }
            return state.waiting
        }
        for continuation in waiting.values { continuation.finish() }
    }

    private func update(_ path: NWPath) {
        let (handler, queue, waiting) = state.withLock { state in
            defer { state.path = path }
            return state.path == path
                ? (nil, nil, []) : (state.handler, state.queue, Array(state.waiting.values))
        }
        queue?.async { handler?(path) }
        for continuation in waiting { continuation.yield(path) }
    }
}

/// The network at the start of the iteration, and each change, until `cancel`.
extension NWPathMonitor: AsyncSequence {
    public typealias Element = NWPath
    public typealias Failure = Never

    public func makeAsyncIterator() -> AsyncStream<NWPath>.Iterator {
        let (stream, continuation) = AsyncStream<NWPath>.makeStream()
        let key = UUID()
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.waiting[key] = nil }
        }
        let path = state.withLock { state in
            state.waiting[key] = continuation
            return state.path
        }
        continuation.yield(path)
        return stream.makeAsyncIterator()
    }
}
