// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunPolicy

/// The details of one transfer, for people.
struct TransferText {
    let view: TransferView

    static func all(_ views: [TransferView]) -> String {
        views.map { TransferText(view: $0).text }.joined(separator: "\n\n")
    }

    var text: String {
        let verb = view.direction == "download" ? "download" : "upload"
        var lines = [
            "\(LogText.visible(view.label)) (\(verb) \(view.id)) \(view.predicate)", "",
            row("address", LogText.visible(view.url)),
            row("file", view.file.map(LogText.visible) ?? "a temporary one"), row("so far", soFar),
        ]
        if let needs { lines.append(row("needs", needs)) }
        lines.append(row("submitted", view.submitted.localText))
        if let began = view.began { lines.append(row("begun", began.localText)) }
        if view.failures > 0 {
            let problem = view.problem.map { ", the last: \(LogText.visible($0))" } ?? ""
            lines.append(row("failures", "\(view.failures) in a row\(problem)"))
        }
        if let follows { lines.append(row("follows", follows)) }
        return lines.joined(separator: "\n")
    }

    private var soFar: String {
        let whole = view.total.map { " of \(ByteText.text($0))" } ?? ""
        let pace = view.rate.map { ", \(ByteText.text($0)) a second" } ?? ""
        return ByteText.text(view.bytes) + whole + pace
    }

    private var needs: String? {
        if view.discretionary { return "an unmetered network and external power" }
        return view.metered ? nil : "an unmetered network"
    }

    /// The recipients of the notification of its end.
    private var follows: String? {
        let tasks = [
            view.then.map { "\($0) when it has succeeded" },
            view.onFailure.map { "\($0) when it has failed" },
        ].compactMap(\.self)
        guard !tasks.isEmpty else { return nil }
        return tasks.joined(separator: ", ")
            + (view.isFinished ? view.delivered ? "; submitted" : "; not submitted yet" : "")
    }

    private func row(_ name: String, _ value: String) -> String {
        "  " + name.padded(to: 11) + value
    }
}
