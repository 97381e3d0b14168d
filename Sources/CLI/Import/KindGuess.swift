// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The kind of a task that only has a name: Info.plist does not say it, the app's code does.
struct KindGuess {
    var kind: TaskKind
    /// Why, as a comment says it.
    var reason: String
}

extension KindGuess {
    /// Which words of an identifier's end stand for which kind, the first that matches.
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
    ///   - app: The part of the identifier that says nothing of the task.
    ///   - modes: The app's background modes; a kind whose mode is missing is guessed only when there is
    ///     no other.
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
            reason = "guessed: nothing in its name says what it is"
        }
    }
}
