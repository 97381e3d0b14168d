// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// Elements that several pages show in the same way.
enum Pieces {
    /// A whole HTML file.
    /// - Parameter head: The elements of the head after the title.
    static func file(_ title: String, head: HTML, _ body: HTML) -> String {
        let file: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            \(head)
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
        return file.text
    }

    /// A placeholder for a missing value.
    static let none: HTML = "<span class=\"soft\">–</span>"

    /// A sentence in place of missing content.
    static func soft(_ text: String) -> HTML { "<p class=\"soft\">\(text)</p>" }

    /// The rows as a list; without rows, the text `nothing`.
    static func list(_ rows: [HTML], _ style: String = "plain", orElse nothing: String) -> HTML {
        rows.isEmpty ? soft(nothing) : "<ul class=\"\(style)\">\(rows)</ul>"
    }

    /// A progress bar; without a value while the progress is unknown.
    static func progress(_ fraction: Double?, _ style: String) -> HTML {
        guard let fraction else { return "<progress aria-label=\"progress\"></progress>" }
        let percent = Int(clamping: fraction * 100)
        return """
            <div class="\(style)"><progress max="100" value="\(percent)" aria-label="progress"></progress>\
            <span class="percent">\(percent)%</span></div>
            """
    }

    /// The word of an outcome in its colour.
    static func outcome(_ name: String, _ reason: String?) -> HTML {
        let style = OutcomeStyle(name)
        let why = reason.map { " · \($0)" } ?? ""
        return "<span class=\"badge \(style.rawValue)\">\(name)\(why)</span>"
    }

    static func tile(_ name: String, _ value: String, _ note: String = "", _ style: String = "")
        -> HTML
    {
        """
        <div class="tile \(style)"><span class="soft">\(name)</span><strong>\(value)</strong>\
        <span class="soft">\(note)</span></div>
        """
    }

    /// A list of problems to check, the worst first; nil if there are none.
    static func attention(_ list: [Attention], _ app: String) -> HTML? {
        guard !list.isEmpty else { return nil }
        let rows: [HTML] = list.map { item in
            """
            <li class="callout \(item.kind == .failing ? "bad" : "warn")">\
            <a href="\(Place.task(app, item.identifier))">\(item.identifier)</a> \
            <span class="badge">\(item.kind.rawValue)</span> \(item.text)</li>
            """
        }
        return "<ul class=\"plain\" aria-label=\"Needs attention\">\(rows)</ul>"
    }

    static func percent(_ share: Double) -> String {
        // Ten thousand successes and one failure must not show as 100 %.
        share < 1 && share > 0.99 ? "> 99%" : "\(Int(clamping: (share * 100).rounded()))%"
    }

    static func bar(_ part: Int64, of whole: Int64) -> HTML {
        let percent =
            whole > 0 ? min(100, max(0, Int(clamping: Double(part) * 100 / Double(whole)))) : 0
        return """
            <svg class="bar" role="img" aria-label="\(percent) percent">\
            <rect width="\(percent)%" height="100%" rx="3"></rect></svg>
            """
    }

    /// A table that becomes a list of blocks on a narrow screen.
    static func table(_ caption: String, _ columns: [String], _ rows: [[HTML]]) -> HTML {
        let head: [HTML] = columns.map { "<th scope=\"col\">\($0)</th>" }
        let body: [HTML] = rows.map { row in
            let cells: [HTML] = zip(columns, row).map { column, cell in
                "<td data-name=\"\(column)\"\(cell == none ? " class=\"none\"" as HTML : "")><div>\(cell)</div></td>"
            }
            return "<tr>\(cells)</tr>\n"
        }
        return """
            <div class="scroll"><table><caption class="hidden">\(caption)</caption>
            <thead><tr>\(head)</tr></thead><tbody>\(body)</tbody></table></div>
            """
    }
}

/// The colour of an outcome.
enum OutcomeStyle: String {
    case completed, failed, expired, interrupted

    init(_ name: String) { self = Self(rawValue: name) ?? .failed }
}
