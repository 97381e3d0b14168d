// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import Glibc

/// What a host says of what it does, and how: the values of `LogOptions`.
struct LogStyle {
    var quiet = false
    var verbose = false
    var json = false
    var priorities = false

    var minimum: LogLine.Level { quiet ? .error : verbose ? .debug : .info }

    /// Whether cron mails what is written.
    var isMail: Bool { quiet && !json && !priorities }

    /// For a person at a terminal, else lines.
    ///
    /// - Parameter isShared: Whether hosts of other apps write to the same place: each line then names `app`.
    func log(_ time: LogTime, app: String? = nil, isShared: Bool = false) -> any HostLog {
        !json && !priorities && !isShared && Terminal.isTerminal(STDERR_FILENO)
            ? TerminalLog(minimum: minimum, time: time)
            : LineLog(
                minimum: minimum, form: form(app), time: time, app: isShared ? app : nil)
    }

    func lines(_ time: LogTime) -> LineLog {
        LineLog(minimum: minimum, form: form(nil), time: time)
    }

    /// Standard error of a service is the journal, which takes more than text.
    private func form(_ app: String?) -> LineLog.Form {
        if json { return .json }
        if priorities { return .prioritized }
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        guard JournalSocket.isJournal(STDERR_FILENO, variable("JOURNAL_STREAM")),
            let journal = JournalSocket(
                path: variable("BGRUN_JOURNAL_SOCKET") ?? JournalSocket.standardPath)
        else { return .text }
        return .journal(journal, app: app)
    }

    /// The same for another bgrun.
    var arguments: [String] {
        [
            (quiet, "--quiet"), (verbose, "--verbose"), (json, "--json"),
            (priorities, "--priorities"),
        ].filter(\.0).map(\.1)
    }
}
