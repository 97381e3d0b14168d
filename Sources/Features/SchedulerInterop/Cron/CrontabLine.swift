// SPDX-License-Identifier: Apache-2.0

/// One entry of a crontab.
struct CrontabLine: Equatable {
    /// Fields in bgrun's form, or a word; empty for `@reboot`.
    var schedule: String
    var user: String?
    /// The line for the shell, with `%` unescaped.
    var command: String
    /// The text after the first `%`, with line breaks in place of the others.
    var input: String?
    /// `-` before the entry: cronie does not log it.
    var isQuiet: Bool

    var isReboot: Bool { schedule.isEmpty }

    /// Throws if cron would reject it, too.
    init(_ line: String, namesUser: Bool) throws(CronFault) {
        var rest = Substring(line.trimmed)
        isQuiet = rest.hasPrefix("-")
        if isQuiet { rest = rest.dropFirst().drop(while: Self.isBlank) }
        schedule = try Self.schedule(&rest)
        let names = CronFields.names + (namesUser ? ["user"] : []) + ["command"]
        if namesUser {
            guard let user = Self.word(&rest) else {
                throw .missing(names, after: CronFields.names.count)
            }
            // `user:group` and login classes of FreeBSD and OpenBSD.
            self.user = user.split { $0 == ":" || $0 == "/" }.first.map(String.init)
        }
        (command, input) = Self.divided(rest)
        command = command.trimmed
        if command.isEmpty { throw .missing(names, after: names.count - 1) }
    }

    /// `NAME = value`, without quotes; nil for anything else.
    static func variable(_ line: String) -> PortableCommand.Variable? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let name = unquoted(line[..<equals].trimmed)
        guard ShellText.isName(name) else { return nil }
        return PortableCommand.Variable(name, unquoted(line[line.index(after: equals)...].trimmed))
    }

    private static func unquoted(_ text: String) -> String {
        guard text.count > 1, let quote = text.first, quote == "\"" || quote == "'",
            text.last == quote
        else { return text }
        return String(text.dropFirst().dropLast())
    }

    private static func schedule(_ rest: inout Substring) throws(CronFault) -> String {
        if rest.hasPrefix("@") {
            let given = word(&rest) ?? ""
            let word = given.lowercased()
            if word == "@reboot" { return "" }
            if word == "@every_minute" { return "* * * * *" }
            guard CronFields.words[word] != nil else {
                let known = (CronFields.words.keys + ["@reboot"]).sorted()
                throw .field("time", given, "write one of \(known.joined(separator: ", "))")
            }
            return word
        }
        var fields: [String] = []
        for _ in 0..<5 {
            guard let field = word(&rest) else { throw CronFields.fault(of: fields) }
            fields.append(field)
        }
        let text = fields.joined(separator: " ")
        guard CronFields(text) != nil else { throw CronFields.fault(of: fields) }
        return text
    }

    private static func word(_ rest: inout Substring) -> String? {
        let word = rest.prefix { !isBlank($0) }
        rest = rest.dropFirst(word.count).drop(while: isBlank)
        return word.isEmpty ? nil : String(word)
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t"
    }

    /// The first `%` ends the command, the others are line breaks; `\%` is a percent sign.
    private static func divided(_ text: Substring) -> (String, String?) {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if character == "%" {
                if isEscaped {
                    parts[parts.count - 1].removeLast()
                    parts[parts.count - 1].append("%")
                } else {
                    parts.append("")
                }
                isEscaped = false
            } else {
                parts[parts.count - 1].append(character)
                isEscaped = character == "\\"
            }
        }
        guard parts.count > 1 else { return (parts[0], nil) }
        let input = parts.dropFirst().joined(separator: "\n")
        return (parts[0], input.hasSuffix("\n") ? input : input + "\n")
    }
}
