// SPDX-License-Identifier: Apache-2.0

import CBGRunEntry
import CBGRunPlugin
import Synchronization

/// One attempt: the facts from the host, and the calls of its handler.
///
/// Thread-safe. May also be used after the attempt has ended: calls then do nothing, or throw
/// `PluginHostError` with `.state`.
public final class PluginTask: Sendable {
    /// The kind of work in the manifest.
    public enum Kind: UInt32, Hashable, Sendable, CaseIterable {
        case appRefresh = 1
        case processing, push, continued, transfer
    }

    public let identifier: String
    /// nil for a kind that this SDK does not know.
    public let kind: Kind?
    /// 1 for the first attempt of its request.
    public let attempt: Int
    /// A JSON object.
    public let parametersJSON: String
    /// Absolute; the base of relative paths in parameters.
    public let manifestDirectory: String
    /// The end of its time; nil for no limit.
    public let deadline: ContinuousClock.Instant?

    /// Whether it is not a task: the user has used the app and left it. `kind` is nil.
    package let isVisit: Bool

    /// Sent when the launch handler has returned: its initial setup is done.
    package let handlerReturned = OnceSignal()

    let host: HostTable
    /// The `bgrun_task *`.
    private let handleBits: UInt
    private let ending = Mutex(Ending())

    private struct Ending {
        var isCompleted = false
        /// The number of holds that keep the attempt open after its completion.
        var holds = 0
        /// The assertion for the holds, 0 for none.
        var assertion: Int64 = 0
        var onOver: (@Sendable () -> Void)?

        var isOver: Bool { isCompleted && holds == 0 }

        mutating func takeOnOver() -> (@Sendable () -> Void)? {
            defer { onOver = nil }
            return onOver
        }
    }

    init(host: HostTable, handle: OpaquePointer?, launch: bgrun_launch) {
        self.host = host
        handleBits = UInt(bitPattern: handle)
        identifier = String(cString: launch.identifier)
        kind = Kind(rawValue: launch.kind)
        isVisit = launch.kind == BGRUN_KIND_APP
        attempt = Int(launch.attempt)
        parametersJSON = String(cString: launch.parameters_json)
        manifestDirectory = String(cString: launch.manifest_directory)
        deadline =
            launch.deadline_boottime_ns == 0
            ? nil : .now.advanced(by: .nanoseconds(launch.deadline_boottime_ns - BootTime.now))
    }

    var handle: OpaquePointer? { OpaquePointer(bitPattern: handleBits) }

    /// Ends the attempt; `message` is for people. The first call counts and returns true.
    @discardableResult
    public func complete(success: Bool, message: String? = nil) -> Bool {
        complete { [host, handle] in
            _ = host.functions.complete(handle, success ? 1 : 0, message)
        }
    }

    /// Ends an expired attempt without an expiration handler: unsuccessful, and as an attempt that
    /// has not reported. An older host treats this as a report.
    @discardableResult
    public func abandon(_ message: String) -> Bool {
        guard let abandon = host.process?.pointee.abandon else {
            return complete(success: false, message: message)
        }
        return complete { [handle] in _ = abandon(handle, message) }
    }

    /// Makes `report` notify the host, unless that was done.
    func complete(_ report: () -> Void) -> Bool {
        // Values that the app has set outlive a completed attempt.
        if !isCompleted { bgrun_synchronize_defaults() }
        let (isFirst, onOver) = ending.withLock { ending -> (Bool, (@Sendable () -> Void)?) in
            guard !ending.isCompleted else { return (false, nil) }
            ending.isCompleted = true
            if ending.holds > 0, let assertion = host.assertion?.pointee {
                ending.assertion = assertion.begin(handle, "the launch handler returns")
            }
            report()
            guard ending.isOver else { return (true, nil) }
            return (true, ending.takeOnOver())
        }
        onOver?()
        return isFirst
    }

    /// Whether `complete` was called.
    public var isCompleted: Bool { ending.withLock { $0.isCompleted } }

    /// Whether its time was revoked, or it has ended. Cheap.
    public var isExpired: Bool { host.functions.is_expired(handle) != 0 }

    /// Whether the host requests the work to stop at the next suitable point. Cheap.
    public var shouldDefer: Bool { host.functions.should_defer(handle) != 0 }

    /// Keeps the attempt open until `release`, also after its completion: its calls continue to work,
    /// and the process is not suspended. Balance each with one `release`.
    public func hold() {
        ending.withLock { $0.holds += 1 }
    }

    public func release() {
        let onOver = ending.withLock { ending -> (@Sendable () -> Void)? in
            ending.holds -= 1
            guard ending.isOver else { return nil }
            if ending.assertion != 0 {
                host.assertion?.pointee.end(handle, ending.assertion)
                ending.assertion = 0
            }
            return ending.takeOnOver()
        }
        onOver?()
    }

    /// Calls `action` once the attempt is completed and nothing holds it; immediately if that is so.
    func whenOver(_ action: @escaping @Sendable () -> Void) {
        let isOver = ending.withLock { ending in
            if !ending.isOver { ending.onOver = action }
            return ending.isOver
        }
        if isOver { action() }
    }

    /// Whether it is completed, and nothing holds it.
    package var isOver: Bool { ending.withLock { $0.isOver } }
}
