// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import Glibc

/// The amount and the format of a host's log: the values of `LogOptions`.
struct LogStyle {
    var quiet = false
    var verbose = false
    var json = false
    var priorities = false

    var minimum: LogLine.Level { quiet ? .error : verbose ? .debug : .info }

    /// Whether cron mails the output.
    var isMail: Bool { quiet && !json && !priorities }

    /// A log for a terminal, else for lines.
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

    /// Standard error of a service may be the journal, which accepts fields besides text.
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

    /// The same options for another bgrun process.
    var arguments: [String] {
        [
            (quiet, "--quiet"), (verbose, "--verbose"), (json, "--json"),
            (priorities, "--priorities"),
        ].filter(\.0).map(\.1)
    }
}
