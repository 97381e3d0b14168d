// SPDX-License-Identifier: Apache-2.0

/// How long a download may be: a server decides what it sends, and may never stop.
public enum SizeRule {
    /// Bytes after which the room on the disk is looked at again while the length is unknown.
    public static let lookEvery: Int64 = 16 << 20

    /// The most bytes a download may have.
    public static func limit(_ request: TransferRequest, _ policy: TransferPolicy) -> Int64 {
        request.maxSize ?? policy.maxSize
    }

    /// Whether a body of which `total` bytes are announced, or `bytes` are there, is too long.
    public static func isTooLarge(bytes: Int64, total: Int64?, limit: Int64) -> Bool {
        max(bytes, total ?? 0) > limit
    }
}
