// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The kind of a task of which only the identifier is known: the app's code determines it, not
/// Info.plist.
struct KindGuess {
    var kind: TaskKind
    /// The reason, for a comment.
    var reason: String
}

extension KindGuess {
    /// The words at the end of an identifier that indicate a kind; the first match counts.
    private static let words: [(TaskKind, [String])] = [
        (.appRefresh, ["refresh", "fetch", "poll", "update", "news", "feed", "weather"]),
        (
            .processing,
            [
                "process", "clean", "maint", "backup", "index", "train", "vacuum", "database",
                "migrat", "purge", "compact", "sync", "db",
            ]
        ),
        (.continued, ["export", "upload", "import", "render", "convert", "encode"]),
    ]

    /// - Parameters:
    ///   - app: The prefix of the identifier that does not describe the task.
    ///   - modes: The app's background modes; a kind without its mode is guessed only if no other kind
    ///     fits.
    init(_ identifier: String, app: String, modes: Set<Mode>) {
        if identifier.hasSuffix(".*") {
            kind = .continued
            reason = "a wildcard is for work a person starts (Apple: BGContinuedProcessingTask)"
            return
        }
        let isOfApp = identifier.hasPrefix(app + ".")
        let name = identifier.dropFirst(isOfApp ? app.count : 0).lowercased()
        for (kind, words) in Self.words where kind.requiredMode.map(modes.contains) ?? true {
            if let word = words.first(where: name.contains) {
                self.kind = kind
                reason = "guessed from \"\(word)\" in its name"
                return
            }
        }
        if modes.contains(.fetch), !modes.contains(.processing) {
            kind = .appRefresh
            reason = "guessed: fetch is the only mode that fits"
        } else {
            kind = .processing
            reason = "guessed: its name suggests no kind"
        }
    }
}
