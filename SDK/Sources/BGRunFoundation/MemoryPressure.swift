// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import Foundation

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        public static let normal = Self(rawValue: 1)
        public static let warning = Self(rawValue: 2)
        public static let critical = Self(rawValue: 4)
        public static let all: Self = [.normal, .warning, .critical]
    }

    /// A source without events: only its cancel handler is called.
    public static func makeMemoryPressureSource(
        eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure {
        InertSource(mask: eventMask, queue: queue)
    }
}

/// Apple's protocol refines `DispatchSourceProtocol`, whose methods on Linux need a source of
/// Dispatch.
public protocol DispatchSourceMemoryPressure: AnyObject, Sendable {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
    var isCancelled: Bool { get }

    func setEventHandler(handler: DispatchWorkItem)
    func setCancelHandler(handler: DispatchWorkItem)
    func activate()
    func resume()
    func suspend()
    /// Calls the cancel handler on the source's queue, once.
    func cancel()
}

extension DispatchSourceMemoryPressure {
    /// The handler is never called.
    public func setEventHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: (() -> Void)?
    ) {
        setEventHandler(handler: DispatchWorkItem(qos: qos, flags: flags) { handler?() })
    }

    /// The handler is called by `cancel`.
    public func setCancelHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: (() -> Void)?
    ) {
        setCancelHandler(handler: DispatchWorkItem(qos: qos, flags: flags) { handler?() })
    }

    /// The handler is never called.
    public func setRegistrationHandler(handler: (() -> Void)?) {}
}

/// `@unchecked Sendable`: mutable state is read and changed under the lock.
private final class InertSource: DispatchSourceMemoryPressure, @unchecked Sendable {
    let mask: DispatchSource.MemoryPressureEvent
    var data: DispatchSource.MemoryPressureEvent { [] }

    private let queue: DispatchQueue
    private let lock = NSLock()
    private var state: (isCancelled: Bool, handler: DispatchWorkItem?) = (false, nil)

    init(mask: DispatchSource.MemoryPressureEvent, queue: DispatchQueue?) {
        self.mask = mask
        self.queue = queue ?? .global()
    }

    var isCancelled: Bool { lock.withLock { state.isCancelled } }

    func setEventHandler(handler: DispatchWorkItem) {}
    func activate() {}
    func resume() {}
    func suspend() {}

    func setCancelHandler(handler: DispatchWorkItem) {
        lock.withLock { state.handler = handler }
    }

    func cancel() {
        let handler = lock.withLock {
            defer { state = (true, nil) }
            return state.handler
        }
        if let handler { queue.async(execute: handler) }
    }
}
