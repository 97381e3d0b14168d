// SPDX-License-Identifier: Apache-2.0

/// The priorities set by `nice`, `ionice` and `chrt` before a program.
struct Priority {
    var nice: Int?
    var ioClass: String?
    var ioLevel: Int?
    var isIdle = false

    /// Removes these programs from `words`.
    init(_ words: inout [String]) {
        while words.count > 3 {
            if words[0].baseName == "nice", words[1] == "-n", let number = Int(words[2]) {
                nice = number
                words.removeFirst(3)
            } else if words[0].baseName == "ionice", words[1] == "-c", let number = Int(words[2]),
                (0...3).contains(number)
            {
                ioClass = ["none", "realtime", "best-effort", "idle"][number]
                words.removeFirst(3)
                if words.count > 2, words[0] == "-n", let level = Int(words[1]) {
                    ioLevel = level
                    words.removeFirst(2)
                }
            } else if words[0].baseName == "chrt", words[1] == "--idle", words[2] == "0" {
                isIdle = true
                words.removeFirst(3)
            } else {
                return
            }
        }
    }
}

/// `StandardInputText=`: standard input without its last line break, with escapes.
enum UnitInput {
    static func escaped(_ input: String) -> String {
        var text = input.dropping(ending: "\n").replacing("\\", with: "\\\\")
            .replacing("%", with: "%%").replacing("\t", with: "\\t").replacing("\n", with: "\\n")
        // Blanks at both ends would be removed.
        if text.first == " " { text = "\\x20" + text.dropFirst() }
        if text.last == " " { text = text.dropLast() + "\\x20" }
        return text
    }

    static func plain(_ value: String) -> String {
        // Blanks do not end a word between quotes, and a quote inside is literal.
        UnitWords.split("\"" + value.replacing("\"", with: "\\\"") + "\"").first?.text ?? ""
    }
}
