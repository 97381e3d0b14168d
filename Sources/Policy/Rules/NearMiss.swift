// SPDX-License-Identifier: Apache-2.0

/// Finds the word that a person probably meant.
package enum NearMiss {
    /// The candidate nearest to `word`: one that differs only in case, else the one with the fewest edits, at most a
    /// third of its length. Without such a candidate, compares the last parts of longer identifiers, as many as
    /// `word` has, in the same way. Ties go to the earlier candidate.
    package static func nearest(to word: String, among candidates: [String]) -> String? {
        if let whole = index(nearestTo: word, in: candidates) { return candidates[whole] }
        let count = parts(of: word).count
        let longer = candidates.map { ($0, parts(of: $0)) }.filter { $0.1.count > count }
        let endings = longer.map { $0.1.suffix(count).joined(separator: ".") }
        return index(nearestTo: word, in: endings).map { longer[$0].0 }
    }

    private static func parts(of word: String) -> [Substring] {
        word.split(separator: ".", omittingEmptySubsequences: false)
    }

    private static func index(nearestTo word: String, in candidates: [String]) -> Int? {
        let lowered = word.lowercased()
        if let sameLetters = candidates.firstIndex(where: { $0.lowercased() == lowered }) {
            return sameLetters
        }
        var best: (index: Int, distance: Int)?
        for (index, candidate) in candidates.enumerated() {
            let limit = min(word.count, candidate.count) / 3
            guard abs(word.count - candidate.count) <= limit else { continue }
            let distance = editDistance(Array(lowered), Array(candidate.lowercased()))
            if distance <= limit, distance < best?.distance ?? .max { best = (index, distance) }
        }
        return best?.index
    }

    /// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other.
    static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [[Int]](
            repeating: [Int](repeating: 0, count: right.count + 1), count: left.count + 1)
        for i in 0...left.count { rows[i][0] = i }
        for j in 0...right.count { rows[0][j] = j }
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        for i in 1...left.count {
            for j in 1...right.count {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
                }
            }
        }
        return rows[left.count][right.count]
    }
}
