// SPDX-License-Identifier: Apache-2.0

import BGRunControl

extension Int {
    /// "1 task" or "2 tasks"; `plural` if it is not `noun` with an s.
    func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) " + (self == 1 ? noun : plural ?? noun + "s")
    }
}

/// Rows in aligned columns.
struct Table {
    private let columns: [String]
    private var rows: [[String]] = []

    init(_ columns: String...) { self.columns = columns }

    init(_ columns: [String]) { self.columns = columns }

    var isEmpty: Bool { rows.isEmpty }

    mutating func add(_ cells: String...) { rows.append(cells) }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    /// The heading and the rows, two spaces between columns, none behind the last.
    var text: String {
        let all = [columns] + rows
        let widths = columns.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            var line = ""
            for (column, cell) in row.enumerated() { line += cell.padded(to: widths[column] + 2) }
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}
