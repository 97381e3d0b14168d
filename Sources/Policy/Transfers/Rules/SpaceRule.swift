// SPDX-License-Identifier: Apache-2.0

/// Whether a file system has room for what is still to come.
package enum SpaceRule {
    /// What is left to others: a hundredth of the file system, at most 64 MiB.
    static func reserve(capacity: Int64) -> Int64 { min(64 << 20, capacity / 100) }

    /// - Parameters:
    ///   - missing: Bytes still to come; nil: not known, then there must be some room.
    ///   - free: Bytes this user may take.
    package static func hasRoom(for missing: Int64?, free: Int64, capacity: Int64) -> Bool {
        free.saturatingSubtracting(reserve(capacity: capacity)) >= max(1, missing ?? 1)
    }
}
