// SPDX-License-Identifier: Apache-2.0

/// Whether a file system has room for the missing bytes.
package enum SpaceRule {
    /// The space left for other programs: a hundredth of the file system, at most 64 MiB.
    static func reserve(capacity: Int64) -> Int64 { min(64 << 20, capacity / 100) }

    /// - Parameters:
    ///   - missing: Bytes still to come; nil: unknown, then some free space is required.
    ///   - free: Bytes available to this user.
    package static func hasSpace(for missing: Int64?, free: Int64, capacity: Int64) -> Bool {
        free.saturatingSubtracting(reserve(capacity: capacity)) >= max(1, missing ?? 1)
    }
}
