// SPDX-License-Identifier: Apache-2.0

/// Quotes text for a POSIX shell, and analyses its lines.
enum ShellText {
    /// `word` quoted as one word for the shell.
    static func quoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ":", "=", ",", "+", "@", "%":
                true
            default: false
            }
        }
        if isPlain, !word.isEmpty { return word }
        return "'"
            + word.split(separator: "'", omittingEmptySubsequences: false).joined(
                separator: "'\\''") + "'"
    }

    static func joined(_ words: [String]) -> String {
        words.map(quoted).joined(separator: " ")
    }

    /// `NAME=value`
    static func isAssignment(_ word: String) -> Bool {
        guard let equals = word.firstIndex(of: "="), equals > word.startIndex else { return false }
        return isName(word[..<equals])
    }

    static func isName(_ text: some StringProtocol) -> Bool {
        guard let first = text.first, !first.isNumber else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// The simple commands of a line as unquoted words: enough to name it, not to run it.
    static func commands(_ line: String) -> [[String]] {
        var commands: [[String]] = [[]]
        var word = ""
        var hasWord = false
        var quote: Character?
        var isEscaped = false
        func end() {
            if hasWord { commands[commands.count - 1].append(word) }
            word = ""
            hasWord = false
        }
        for character in line {
            if isEscaped {
                word.append(character)
                hasWord = true
                isEscaped = false
            } else if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "\\" {
                isEscaped = true
            } else if character == "'" || character == "\"" {
                quote = character
                hasWord = true
            } else if character == " " || character == "\t" {
                end()
            } else if ";&|\n()".contains(character) {
                end()
                if commands.last?.isEmpty == false { commands.append([]) }
            } else {
                word.append(character)
                hasWord = true
            }
        }
        end()
        return commands.filter { !$0.isEmpty }
    }
}
