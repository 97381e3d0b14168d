// SPDX-License-Identifier: Apache-2.0

import Dispatch
public import Foundation

// Symbols that Apple's Foundation re-exports from lower layers and Foundation on Linux does not.

public let NSEC_PER_SEC: UInt64 = 1_000_000_000
public let NSEC_PER_MSEC: UInt64 = 1_000_000
public let NSEC_PER_USEC: UInt64 = 1_000
public let USEC_PER_SEC: UInt64 = 1_000_000
public let MSEC_PER_SEC: UInt64 = 1_000

/// Seconds since the first instant of 2001, UTC.
public typealias CFAbsoluteTime = Double
/// A number of seconds.
public typealias CFTimeInterval = Double

public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Date().timeIntervalSinceReferenceDate
}

/// Seconds since the machine was started, without the time it was asleep.
public func CACurrentMediaTime() -> CFTimeInterval {
    CFTimeInterval(DispatchTime.now().uptimeNanoseconds) / 1e9
}

/// Calls the closure. There are no autoreleased objects on Linux.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}

extension FileManager {
    /// The directory of an app group, below Application Support of the user. It is created if
    /// missing; nil if that fails. All apps of the user share it.
    public func containerURL(forSecurityApplicationGroupIdentifier group: String) -> URL? {
        guard !group.contains("/"), !group.isEmpty, group != ".", group != "..",
            let support = urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        else { return nil }
        let directory = support.appendingPathComponent("Group Containers/\(group)")
        do {
            try createDirectory(at: directory, withIntermediateDirectories: true)
        } catch {
            return nil
        }
        return directory
    }
}
