// SPDX-License-Identifier: Apache-2.0

/// Applies fix-its.
public enum Fixer {
    /// The text of a file with the fixes of its findings, and the number of applied ones. Skips a
    /// fix that overlaps an earlier one.
    public static func fixed(_ text: String, by findings: [Finding]) -> (text: String, count: Int) {
        var taken: [Fix.Edit] = []
        var count = 0
        for fix in findings.compactMap(\.fix) {
            let isFree = fix.edits.allSatisfy { edit in
                taken.allSatisfy { !$0.collides(with: edit) }
            }
            guard isFree else { continue }
            taken += fix.edits
            count += 1
        }
        var bytes = Array(text.utf8)
        for edit in taken.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
        }
        return (String(decoding: bytes, as: UTF8.self), count)
    }
}

extension Fix.Edit {
    fileprivate func collides(with other: Fix.Edit) -> Bool {
        range.overlaps(other.range) || range.lowerBound == other.range.lowerBound
            || range.contains(other.range.lowerBound) || other.range.contains(range.lowerBound)
    }
}
