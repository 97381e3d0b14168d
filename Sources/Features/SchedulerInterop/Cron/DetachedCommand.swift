// SPDX-License-Identifier: Apache-2.0

extension ShellText {
    /// The word of a line that lets a program outlive the shell, such as `&` or `setsid`; nil without one. A line
    /// with `wait` waits for everything that it starts with `&`.
    static func detachment(_ line: String) -> String? {
        let commands = commands(line)
        for words in commands {
            if let word = detachment(ofCommand: words) { return word }
        }
        let waits = commands.contains { $0.first == "wait" }
        return !waits && hasBackground(line) ? "&" : nil
    }

    private static func detachment(ofCommand all: [String]) -> String? {
        var words = all[...]
        var followsOption = false
        while let word = words.popFirst() {
            let options = words.filter { $0.hasPrefix("-") }
            switch word.baseName {
            case "disown": return "disown"
            case "setsid":
                let waits = words.prefix { $0.hasPrefix("-") }.contains { option in
                    option == "--wait" || !option.hasPrefix("--") && option.contains("w")
                }
                if !waits { return "setsid" }
            case "screen":
                // `-D -m` stays in the foreground.
                return options.contains { $0.hasPrefix("-d") } ? "screen -d" : nil
            case "tmux":
                let isNew = words.contains { $0 == "new" || $0.hasPrefix("new-") }
                return isNew && options.contains(where: isDetached) ? "tmux -d" : nil
            default: break
            }
            // `sudo -u ada screen -d`: the word after an option may be its value.
            let isPassed =
                isAssignment(word) || word.hasPrefix("-") || word.first?.isNumber ?? false
                || TaskNames.wrappers.contains(word.baseName)
            guard isPassed || followsOption else { return nil }
            followsOption = word.hasPrefix("-")
        }
        return nil
    }

    /// `-d`, alone or among others, before one with a value.
    private static func isDetached(_ option: String) -> Bool {
        option.dropFirst().prefix { !"ceFfnstxy".contains($0) }.contains("d")
    }

    /// Whether `&` occurs alone outside of quotes: not in `&&`, `2>&1` or `&>`.
    private static func hasBackground(_ line: String) -> Bool {
        let signs = Array(line)
        var quote: Character?
        var index = 0
        while index < signs.count {
            let sign = signs[index]
            let before = index > 0 ? signs[index - 1] : " "
            let after = index + 1 < signs.count ? signs[index + 1] : " "
            index += 1
            if sign == "\\", quote != "'" {
                index += 1
            } else if let open = quote {
                if sign == open { quote = nil }
            } else if sign == "'" || sign == "\"" {
                quote = sign
            } else if sign == "#", before == " " || before == "\t" {
                return false
            } else if sign == "&" {
                if after == "&" {
                    index += 1
                } else if before != ">", before != "<", after != ">" {
                    return true
                }
            }
        }
        return false
    }
}

extension PortableApp {
    /// Notes that bgrun ends the processes that the shell line `line` leaves running.
    mutating func noteDetachment(of line: String, _ place: SourcePlace) {
        guard let word = ShellText.detachment(line) else { return }
        notes.add(
            .lost, place, word,
            "the processes that the command leaves behind are ended when it ends",
            "let the command wait for them, or start them with `systemd-run`")
    }
}
