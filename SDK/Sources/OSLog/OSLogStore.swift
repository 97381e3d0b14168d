// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The log, for reading. An app cannot read its log here: creating a store throws; `bgrun logs` shows
/// it.
public final class OSLogStore: NSObject, Sendable {
    /// The part of the log.
    public enum Scope: Int, Sendable {
        case system, currentProcessIdentifier
    }

    /// - Throws: always.
    public init(scope: Scope) throws {
        throw CocoaError(
            .featureUnsupported,
            userInfo: [
                NSLocalizedDescriptionKey: "bgrun gives apps no log to read; see `bgrun logs`"
            ])
    }

    public func position(date: Date) -> OSLogPosition { OSLogPosition() }
    public func position(timeIntervalSinceEnd seconds: TimeInterval) -> OSLogPosition {
        OSLogPosition()
    }
    public func position(timeIntervalSinceLatestBoot seconds: TimeInterval) -> OSLogPosition {
        OSLogPosition()
    }

    /// Empty.
    public func getEntries(
        at position: OSLogPosition? = nil, matching predicate: NSPredicate? = nil
    ) throws -> AnySequence<OSLogEntry> {
        AnySequence([])
    }
}

/// A place in the log.
public final class OSLogPosition: NSObject, Sendable {}

/// An entry. Never created.
///
/// `@unchecked Sendable`: it holds constants.
open class OSLogEntry: NSObject, @unchecked Sendable {
    public let date = Date.distantPast
    public let composedMessage = ""
}

/// A message. Never created.
public final class OSLogEntryLog: OSLogEntry, @unchecked Sendable {
    /// The importance of a message.
    public enum Level: Int, Sendable {
        case undefined, debug, info, notice, error, fault
    }

    public let level = Level.undefined
    public let subsystem = ""
    public let category = ""
    public let process = ""
}
