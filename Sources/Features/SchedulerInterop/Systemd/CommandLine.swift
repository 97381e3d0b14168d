// SPDX-License-Identifier: Apache-2.0

/// A command in `ExecStart=`, parsed like in systemd.service(5).
struct CommandLine: Equatable {
    /// The prefixes of the program: `-`, `@`, `:`, `+`, `!`.
    var prefixes: Set<Character> = []
    var words: [String] = []

    /// Whether a failure is ignored.
    var mayFail: Bool { prefixes.contains("-") }

    /// The commands of one value: a lone `;` separates them.
    static func all(_ value: String) -> [CommandLine] {
        var commands: [CommandLine] = []
        for words in UnitWords.split(value).split(
            separator: UnitWords.Word(text: ";", isBare: true))
        {
            var command = CommandLine(words: words.map(\.text))
            guard var program = command.words.first else { continue }
            while let sign = program.first, "-@:+!|".contains(sign) {
                command.prefixes.insert(sign)
                program.removeFirst()
            }
            command.words[0] = program
            // With @ the second word is the program's name for itself (argv[0]).
            if command.prefixes.contains("@"), command.words.count > 1 {
                command.words.remove(at: 1)
            }
            commands.append(command)
        }
        return commands
    }

    /// Whether it contains a variable that systemd would replace.
    var hasVariables: Bool {
        !prefixes.contains(":")
            && words.dropFirst().contains { word in
                Piece.all(word).contains { $0 != .text($0.plain) }
            }
    }

    /// The words, with `$$` unescaped.
    var plainWords: [String] {
        guard !prefixes.contains(":") else { return words }
        return words.prefix(1)
            + words.dropFirst().map { Piece.all($0).map(\.plain).joined() }
    }

    /// The command as a shell writes it: `$NAME` alone is split at spaces, `${NAME}` is not.
    var shellText: String {
        guard hasVariables else { return ShellText.joined(plainWords) }
        let rest = words.dropFirst().map { word in
            word.isEmpty ? "''" : Piece.all(word).map(\.shellText).joined()
        }
        return ([ShellText.quoted(words[0])] + rest).joined(separator: " ")
    }

    /// A part of a word.
    private enum Piece: Equatable {
        case text(String)
        /// `$NAME` as a whole word: any number of words.
        case splitVariable(String)
        /// `${NAME}`
        case variable(String)

        var plain: String {
            switch self {
            case .text(let text): text
            case .splitVariable(let name): "$\(name)"
            case .variable(let name): "${\(name)}"
            }
        }

        var shellText: String {
            switch self {
            case .text(let text): ShellText.quoted(text)
            case .splitVariable(let name): "$\(name)"
            case .variable(let name): "\"${\(name)}\""
            }
        }

        static func all(_ word: String) -> [Piece] {
            if word.hasPrefix("$"), ShellText.isName(word.dropFirst()) {
                return [.splitVariable(String(word.dropFirst()))]
            }
            var pieces: [Piece] = []
            var literal = ""
            var rest = Substring(word)
            while let character = rest.first {
                if rest.hasPrefix("$$") {
                    literal.append("$")
                    rest = rest.dropFirst(2)
                } else if let name = variable(rest) {
                    if !literal.isEmpty { pieces.append(.text(literal)) }
                    literal = ""
                    pieces.append(.variable(String(name)))
                    rest = rest.dropFirst(name.count + 3)
                } else {
                    literal.append(character)
                    rest = rest.dropFirst()
                }
            }
            return literal.isEmpty ? pieces : pieces + [.text(literal)]
        }

        /// The name in a `${NAME}` at the start of `rest`; nil if `rest` starts with other text.
        private static func variable(_ rest: Substring) -> Substring? {
            guard rest.hasPrefix("${") else { return nil }
            let name = rest.dropFirst(2).prefix { ShellText.isName("_\($0)") }
            let isClosed = rest.dropFirst(2 + name.count).first == "}"
            return isClosed && ShellText.isName(name) ? name : nil
        }
    }
}
