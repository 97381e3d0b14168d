// SPDX-License-Identifier: Apache-2.0

/// Cuts bytes into lines.
struct LineBuffer {
    private var rest: [UInt8] = []
    private let limit: Int

    /// - Parameter limit: Bytes a line may have.
    init(limit: Int) {
        self.limit = limit
    }

    /// The lines that `bytes` complete, without their ends; empty ones do not count. Nil: one is too long.
    mutating func add(_ bytes: some Sequence<UInt8>) -> [[UInt8]]? {
        rest += bytes
        var parts = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(parts.removeLast())
        guard rest.count <= limit, parts.allSatisfy({ $0.count <= limit }) else { return nil }
        return parts.filter { !$0.isEmpty }.map(Array.init)
    }
}
