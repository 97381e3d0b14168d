// SPDX-License-Identifier: Apache-2.0

extension AppRun {
    /// Parses the typical command lines of cron, services and the daemon without ArgumentParser, whose
    /// reflection takes half of the instructions of a run without work. Nil for all other arguments,
    /// which the parser reads or rejects.
    init?(plain arguments: ArraySlice<String>) {
        var flags: Set<String> = []
        var values: [String: String] = [:]
        var rest = arguments
        if rest.first == "run" { rest.removeFirst() }
        while let word = rest.popFirst() {
            switch word {
            case "--once", "--stay", "--quiet", "--verbose", "--json", "--priorities":
                flags.insert(word)
            case "-q": flags.insert("--quiet")
            case "-v": flags.insert("--verbose")
            default:
                guard let option = Self.option(word, &rest),
                    values.updateValue(option.value, forKey: option.name) == nil
                else { return nil }
            }
        }
        guard let manifest = values["--manifest"],
            !Self.excluding.contains(where: { flags.isSuperset(of: $0) })
        else { return nil }
        file = ManifestFile(path: manifest)
        places = StatePlaces(override: values["--state"])
        once = flags.contains("--once")
        stay = flags.contains("--stay")
        logging = LogStyle(
            quiet: flags.contains("--quiet"), verbose: flags.contains("--verbose"),
            json: flags.contains("--json"), priorities: flags.contains("--priorities"))
        if let text = values["--wait-lock"] {
            guard let timeout = try? DurationArgument.parse(text) else { return nil }
            waitLock = timeout
        }
        if let text = values["--share"] {
            guard let descriptor = Int32(text) else { return nil }
            share = descriptor
        }
    }

    /// Sets of mutually exclusive flags.
    private static let excluding: [Set<String>] = [
        ["--once", "--stay"], ["--quiet", "--verbose"], ["--priorities", "--json"],
    ]

    /// The option that begins with `word`: its value follows a "=", or is the next word, unless that is
    /// another option. Nil for an option that only the parser knows, and for an empty value.
    private static func option(
        _ word: String, _ rest: inout ArraySlice<String>
    ) -> (name: String, value: String)? {
        var name = word == "-m" ? "--manifest" : word
        let value: String
        if let equals = word.firstIndex(of: "=") {
            name = String(word[..<equals])
            value = String(word[equals...].dropFirst())
        } else {
            guard let next = rest.popFirst(), !next.hasPrefix("-") else { return nil }
            value = next
        }
        let isPlain = ["--manifest", "--state", "--wait-lock", "--share"].contains(name)
        return isPlain && !value.isEmpty ? (name, value) : nil
    }
}
