// SPDX-License-Identifier: Apache-2.0

/// The formats that bgrun imports.
package enum ExchangeFormat: String, Sendable, CaseIterable {
    /// A user's crontab, as printed by `crontab -l`.
    case crontab
    /// /etc/crontab and the files of /etc/cron.d, whose lines name a user.
    case cronD = "cron.d"
    case anacrontab
    /// Timers and services.
    case systemd
    case launchd
    /// An iOS app's Info.plist.
    case infoPlist = "info-plist"

    /// The probable format of a file, by its name and contents.
    ///
    /// - Parameters:
    ///   - path: `-` for standard input.
    ///   - isUser: Whether this machine has a user of that name.
    package static func detect(
        path: String, text: String, isUser: (String) -> Bool = { $0 == "root" }
    ) -> ExchangeFormat {
        let name = path.baseName
        if ["timer", "service"].contains(where: { name.hasSuffix(".\($0)") }) { return .systemd }
        if name == "anacrontab" { return .anacrontab }
        let begin = text.drop(while: \.isWhitespace)
        if begin.hasPrefix("<") || begin.hasPrefix("bplist") || begin.hasPrefix("{") {
            let isJob =
                text.contains("<key>Label</key>") || text.contains("<key>ProgramArguments</key>")
            return isJob ? .launchd : .infoPlist
        }
        if begin.hasPrefix("[Unit]") || text.contains("\n[Timer]") { return .systemd }
        if name.hasSuffix(".plist") { return .infoPlist }
        if path == "/etc/crontab" || path.directoryName.hasSuffix("cron.d") { return .cronD }
        let entries = text.fileLines.map(\.trimmed).filter { line in
            !line.isEmpty && !line.hasPrefix("#") && CrontabLine.variable(line) == nil
        }
        if !entries.isEmpty, entries.allSatisfy(isOfAnacron) { return .anacrontab }
        // An invalid entry does not decide whether the others name users.
        let valid = entries.filter { (try? CrontabLine($0, namesUser: false)) != nil }
        let withUser = valid.filter { entry in
            (try? CrontabLine(entry, namesUser: true))?.user.map(isUser) ?? false
        }
        return !valid.isEmpty && withUser.count == valid.count ? .cronD : .crontab
    }

    /// `7 25 cron.weekly command`: no cron line has such a third field. `30 2 * 13 * command` is a line of cron with an
    /// invalid month.
    private static func isOfAnacron(_ entry: String) -> Bool {
        let words = entry.words
        return words.count >= 4 && Int(words[1]) != nil
            && words[2].contains { !"0123456789*,-/~H()".contains($0) }
            && (try? CrontabLine(entry, namesUser: false)) == nil
            && (Int(words[0]) != nil || CronFields.words[words[0]] != nil)
    }

    /// The default identifier of the app: the name of the file, below `local`.
    package func defaultApp(paths: [String]) -> String {
        let stem: String
        switch self {
        case .crontab: stem = "crontab"
        case .cronD where paths.count == 1 && paths[0] != "-":
            let name = paths[0].baseName
            stem = name == "crontab" || name == "cron.d" ? "cron" : "cron.\(TaskNames.part(name))"
        case .cronD: stem = "cron"
        case .anacrontab: stem = "anacron"
        case .systemd: stem = "timers"
        case .launchd: stem = "launchd"
        case .infoPlist: stem = "app"
        }
        return "local.\(stem)"
    }
}
