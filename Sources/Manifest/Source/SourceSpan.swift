// SPDX-License-Identifier: Apache-2.0

/// A range of a manifest, from its first character to the one after its last.
package struct SourceSpan: Hashable, Sendable {
    package var start: SourceMark
    var end: SourceMark

    /// The column after the last character; nil if the span continues on another line.
    var endColumn: Int? { start.line == end.line ? end.column : nil }
}
