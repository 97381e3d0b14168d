// SPDX-License-Identifier: Apache-2.0

/// Makes unique identifiers from commands and file names.
struct TaskNames {
    private let app: String
    private var taken: Set<String> = []
    /// The number for the next task with the same name.
    private var numbers: [String: Int] = [:]

    init(app: String) {
        self.app = app
    }

    /// The identifier of a task called `name`; equal names get `-2`, `-3`, ...
    mutating func identifier(_ name: String) -> String {
        let wanted = "\(app).\(Self.part(name))"
        var identifier = wanted
        var number = numbers[wanted] ?? 2
        while !taken.insert(identifier).inserted {
            identifier = "\(wanted)-\(number)"
            number += 1
        }
        numbers[wanted] = number
        return identifier
    }

    /// `text` as one part of an identifier: `sa-update.sh` becomes `sa-update`.
    static func part(_ text: String) -> String {
        var text = text
        for ending in [".sh", ".py", ".pl", ".php", ".rb"] where text.hasSuffix(ending) {
            text.removeLast(ending.count)
        }
        var result = ""
        for character in text {
            let isPlain =
                character.isASCII && (character.isLetter || character.isNumber || character == "_")
            if isPlain {
                result.append(character)
            } else if !result.isEmpty, result.last != "-" {
                result.append("-")
            }
        }
        while result.last == "-" { result.removeLast() }
        return result.isEmpty ? "task" : String(result.prefix(60))
    }

    /// The main program of a shell line: the first one that does not only prepare another.
    static func program(ofShellLine line: String) -> String {
        var fallback: String?
        for command in ShellText.commands(line) {
            var words = command[...].drop { ShellText.isAssignment($0) }
            // The rest of a `$(...)`.
            if words.first?.hasPrefix("-") ?? true { continue }
            while let first = words.first {
                let name = first.baseName
                let isCode = words.dropFirst().first.map { ["-e", "-c"].contains($0) } ?? false
                guard wrappers.contains(name), !isCode else {
                    if passing.contains(name) || isCode {
                        let isAboutFile = isCode || testing.contains(name)
                        let file = words.dropFirst().first { isAboutFile && $0.contains("/") }
                        fallback = fallback ?? file ?? name
                        break
                    }
                    return name
                }
                words = words.dropFirst().drop { $0.hasPrefix("-") || $0.isNumeral }
                if name == "flock" || name == "run-one" || name == "chronic" {
                    words = words.drop { $0.hasPrefix("/") && $0.contains("lock") }
                }
            }
        }
        return fallback.flatMap { $0.split(separator: "/").last.map(String.init) } ?? "task"
    }

    /// Programs that run the program after them.
    static let wrappers: Set<String> = [
        "nice", "ionice", "chrt", "env", "exec", "sudo", "nohup", "time", "timeout", "flock",
        "setsid", "run-parts", "systemd-cat", "chronic", "run-one", "eval", "command", "if", "then",
        "sh", "bash", "dash", "!", "{", "(", "php", "python", "python3", "perl", "ruby", "node",
        "runuser",
    ]
    /// Commands whose file argument names a line without another program.
    private static let testing: Set<String> = ["cd", "test", "[", "[[", ".", "source"]
    /// Programs that only prepare, test or print.
    private static let passing: Set<String> = [
        "cd", "test", "[", "[[", "export", "umask", "set", "true", "false", ":", ".", "source",
        "else", "fi", "unset", "ulimit", "date", "echo", "sleep",
    ]
}

extension StringProtocol {
    /// Whether it is a number, perhaps with a unit.
    fileprivate var isNumeral: Bool { first?.isNumber ?? false }
}
