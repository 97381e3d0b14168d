// SPDX-License-Identifier: Apache-2.0

/// A stretch of a manifest, from its first character to the one after its last.
package struct SourceSpan: Hashable, Sendable {
    package var start: SourceMark
    var end: SourceMark

    /// The column after the last character, or nil when the span continues to another line.
    var endColumn: Int? { start.line == end.line ? end.column : nil }
}
