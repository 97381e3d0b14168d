// SPDX-License-Identifier: Apache-2.0

/// A command of `ExecStart=`, as systemd.service(5) reads it.
struct CommandLine: Hashable {
    /// The signs before the program: `-`, `@`, `:`, `+`, `!`.
    var prefixes: Set<Character> = []
    var words: [String] = []

    /// Whether a failure does not count.
    var mayFail: Bool { prefixes.contains("-") }

    /// The commands of one value: a lone `;` separates them.
    static func all(_ value: String) -> [CommandLine] {
        var commands: [CommandLine] = []
        for words in UnitWords.split(value).split(separator: UnitWords.Word(text: ";", isBare: true)) {
            var command = CommandLine(words: words.map(\.text))
            guard var program = command.words.first else { continue }
            while let sign = program.first, "-@:+!|".contains(sign) {
                command.prefixes.insert(sign)
                program.removeFirst()
            }
            command.words[0] = program
            // With @ the second word is what the program is told its name is.
            if command.prefixes.contains("@"), command.words.count > 1 {
                command.words.remove(at: 1)
            }
            commands.append(command)
        }
        return commands
    }

    /// Whether a variable stands in it that systemd would replace.
    var hasVariables: Bool {
        !prefixes.contains(":") && words.dropFirst().contains { $0.withoutDollars == nil }
    }

    /// The words, `$$` undone.
    var plainWords: [String] {
        guard !prefixes.contains(":") else { return words }
        return words.prefix(1) + words.dropFirst().map { $0.withoutDollars ?? $0 }
    }

    /// The command as a shell writes it: `$NAME` alone is split at spaces, `${NAME}` is not.
    var shellText: String {
        guard hasVariables else { return ShellText.joined(plainWords) }
        return ([ShellText.quoted(words[0])] + words.dropFirst().map(Self.shellWord))
            .joined(separator: " ")
    }

    private static func shellWord(_ word: String) -> String {
        if word.hasPrefix("$"), ShellText.isName(word.dropFirst()) { return word }
        var result = ""
        var literal = ""
        var rest = Substring(word)
        func flush() {
            if !literal.isEmpty { result += ShellText.quoted(literal) }
            literal = ""
        }
        while let character = rest.first {
            if rest.hasPrefix("$$") {
                literal.append("$")
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("${"), let end = rest.firstIndex(of: "}"),
                ShellText.isName(rest[..<end].dropFirst(2))
            {
                flush()
                result += "\"${\(rest[..<end].dropFirst(2))}\""
                rest = rest[rest.index(after: end)...]
            } else {
                literal.append(character)
                rest = rest.dropFirst()
            }
        }
        flush()
        return result.isEmpty ? "''" : result
    }
}

extension String {
    /// With `$$` as `$`; nil when a variable stands in it.
    fileprivate var withoutDollars: String? {
        guard contains("$") else { return self }
        if hasPrefix("$"), ShellText.isName(dropFirst()) { return nil }
        var result = ""
        var rest = Substring(self)
        while let character = rest.first {
            if rest.hasPrefix("$$") { rest = rest.dropFirst() }
            if rest.hasPrefix("${"), character == "$", !result.hasSuffix("$$") {
                guard let end = rest.firstIndex(of: "}") else { return self }
                if ShellText.isName(rest[..<end].dropFirst(2)) { return nil }
            }
            result.append(character)
            rest = rest.dropFirst()
        }
        return result
    }
}
