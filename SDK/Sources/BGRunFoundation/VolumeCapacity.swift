// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The free space that an app may use. iOS can purge files to make space; Linux does not, and therefore
// all keys mean the free space.

extension URLResourceKey {
    public static var volumeAvailableCapacityForImportantUsageKey: URLResourceKey {
        .volumeAvailableCapacityKey
    }

    public static var volumeAvailableCapacityForOpportunisticUsageKey: URLResourceKey {
        .volumeAvailableCapacityKey
    }
}

extension URLResourceValues {
    /// The free space of the volume, in bytes; nil if its key was not requested.
    public var volumeAvailableCapacityForImportantUsage: Int64? {
        volumeAvailableCapacity.map(Int64.init)
    }

    /// The free space of the volume, in bytes; nil if its key was not requested.
    public var volumeAvailableCapacityForOpportunisticUsage: Int64? {
        volumeAvailableCapacity.map(Int64.init)
    }
}
