// SPDX-License-Identifier: Apache-2.0

import CBGRunEntry
import CBGRunPlugin
import Synchronization

/// One attempt: what the host has said about it, and what its handler can say and ask.
///
/// Everything here may be called on any thread, also after the attempt has ended: it then does
/// nothing, or throws `PluginHostError` with `.state`.
public final class PluginTask: Sendable {
    /// What kind of work the manifest says it is.
    public enum Kind: UInt32, Hashable, Sendable, CaseIterable {
        case appRefresh = 1
        case processing, push, continued, transfer
    }

    public let identifier: String
    /// nil for a kind this SDK does not know.
    public let kind: Kind?
    /// 1 for the first attempt of its request.
    public let attempt: Int
    /// A JSON object.
    public let parametersJSON: String
    /// Absolute; relative paths in parameters start here.
    public let manifestDirectory: String
    /// When its time runs out; nil for no limit.
    public let deadline: ContinuousClock.Instant?

    /// Not a task: a person has used the app and left it. `kind` is nil.
    package let isVisit: Bool

    /// The launch handler has returned: what it sets up at first is set up.
    package let handlerReturned = OnceSignal()

    let host: HostTable
    /// The `bgrun_task *`.
    private let handleBits: UInt
    private let ending = Mutex(Ending())

    private struct Ending {
        var isCompleted = false
        /// What keeps the attempt open after its completion.
        var holds = 0
        /// The assertion for them, 0 for none.
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

    /// Ends the attempt; `message` is for people. The first call wins and returns true.
    @discardableResult
    public func complete(success: Bool, message: String? = nil) -> Bool {
        complete { [host, handle] in
            _ = host.functions.complete(handle, success ? 1 : 0, message)
        }
    }

    /// Ends an expired attempt that has no expiration handler: unsuccessful, and as an attempt that
    /// has not reported. An older host treats this as a report.
    @discardableResult
    public func abandon(_ message: String) -> Bool {
        guard let abandon = host.process?.pointee.abandon else {
            return complete(success: false, message: message)
        }
        return complete { [handle] in _ = abandon(handle, message) }
    }

    /// Has `report` tell the host, unless it was told.
    func complete(_ report: () -> Void) -> Bool {
        // What the app has set outlives an attempt that has completed.
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

    /// Its time is revoked, or it has ended. Cheap.
    public var isExpired: Bool { host.functions.is_expired(handle) != 0 }

    /// The host would like the work to stop at the next good place. Cheap.
    public var shouldDefer: Bool { host.functions.should_defer(handle) != 0 }

    /// Keeps the attempt open until `release`, also after its completion: its calls continue working,
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

    /// Calls `action` once the attempt is completed and nothing holds it; at once if it is so.
    func whenOver(_ action: @escaping @Sendable () -> Void) {
        let isOver = ending.withLock { ending in
            if !ending.isOver { ending.onOver = action }
            return ending.isOver
        }
        if isOver { action() }
    }

    /// Completed, and nothing holds it.
    package var isOver: Bool { ending.withLock { $0.isOver } }
}
