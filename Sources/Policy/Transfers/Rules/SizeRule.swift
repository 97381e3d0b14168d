// SPDX-License-Identifier: Apache-2.0

/// The size limit of a download: a server may send an endless body.
package enum SizeRule {
    /// Bytes after which the free disk space is checked again while the length is unknown.
    package static let lookEvery: Int64 = 16 << 20

    /// The maximum size of a download in bytes.
    package static func limit(_ request: TransferRequest, _ policy: TransferPolicy) -> Int64 {
        request.maxSize ?? policy.maxSize
    }

    /// Whether a body with `total` announced bytes, or `bytes` received bytes, is too long.
    package static func isTooLarge(bytes: Int64, total: Int64?, limit: Int64) -> Bool {
        max(bytes, total ?? 0) > limit
    }
}
