// SPDX-License-Identifier: Apache-2.0

// Inert: Instruments is not available on Linux.

/// Identifies one of several intervals of the same name.
public struct OSSignpostID: Hashable, Sendable {
    public let rawValue: UInt64

    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public init(log: OSLog) {
        self = .exclusive
    }

    public init(log: OSLog, object: AnyObject) {
        self = .exclusive
    }

    public static let exclusive = OSSignpostID(0xEEEE_B0B5_B2B2_EEEE)
    public static let invalid = OSSignpostID(.max)
    public static let null = OSSignpostID(0)
}

/// The type of a signpost.
public enum OSSignpostType: Sendable {
    case event, begin, end
}

/// Does nothing.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) {}

/// Does nothing.
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer? = nil, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: Any...
) {}

/// A started interval.
public final class OSSignpostIntervalState: Sendable {}

/// Marks nothing.
public struct OSSignposter: Sendable {
    public static let disabled = OSSignposter()

    public init() {}
    public init(subsystem: String, category: String) {}
    public init(subsystem: String, category: OSLog.Category) {}
    public init(logger: Logger) {}
    public init(logHandle: OSLog) {}

    public var isEnabled: Bool { false }

    public func makeSignpostID() -> OSSignpostID { .exclusive }
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { .exclusive }

    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive
    ) -> OSSignpostIntervalState {
        OSSignpostIntervalState()
    }

    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage
    ) -> OSSignpostIntervalState {
        OSSignpostIntervalState()
    }

    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
    public func endInterval(
        _ name: StaticString, _ state: OSSignpostIntervalState, _ message: OSLogMessage
    ) {}

    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}
    public func emitEvent(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: OSLogMessage
    ) {}

    /// Calls `around`.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around: () throws -> Result
    ) rethrows -> Result {
        try around()
    }
}
