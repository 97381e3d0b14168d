// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy

/// The sentence of the log about a transfer's end.
struct TransferPhrase {
    var level: LogLine.Level
    /// One word for programs.
    var kind: String
    var text: String

    init(_ transfer: Transfer) {
        let name = transfer.label
        switch transfer.progress.result {
        case .completed, nil:
            let verb = transfer.request.direction == .download ? "Downloaded" : "Uploaded"
            (level, kind) = (.info, "transfer-completed")
            text = "\(verb) \(name): \(transfer.progress.bytes) bytes"
        case .unchanged:
            (level, kind) = (.info, "transfer-unchanged")
            text = "The file of \(name) has not changed"
        case .failed:
            (level, kind) = (.error, "transfer-failed")
            let problem = transfer.progress.problem ?? transfer.progress.failure?.rawValue
            text = "The transfer of \(name) failed: \(problem ?? "no reason was given")"
        case .cancelled:
            (level, kind) = (.info, "transfer-cancelled")
            text = "The transfer of \(name) was cancelled"
        }
    }
}

extension Transfer {
    /// Its label for people: its name, or its session and number.
    package var label: String { name ?? "\(request.session)#\(id)" }
}
