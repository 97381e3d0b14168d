// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost

extension JournalEntry {
    /// The subsystem of Apple's framework, by which `log stream` filters; here
    /// `journalctl BGRUN_SUBSYSTEM=com.apple.backgroundtaskscheduler` does.
    private static let subsystem = "com.apple.backgroundtaskscheduler"

    /// The IDs of events that one may search for in the journal; they never change.
    private static let messageIDs = [
        "starting": "5e1a3f0b8c0d4a6f9b7e2d4c6a8f1031",
        "ended": "c2d94b7ae6f14c0f8a53b1d7e9f60242",
        "expiring": "91f0c6d2b3a84e7da4c5f8e07b216953",
        "killing": "7ab35e94d1c2466fb08e6f3d2c5a1764",
        "gave-up": "e84f21c7095b4d3ab6c1d8f7a2e03b75",
        "refused": "2b6c8d0e4f1a4397a5e3c7b9d1f08286",
    ]

    /// - Parameter app: Nil for a line of the daemon's.
    init(_ line: LogLine, app: String?) {
        let task = line.handler ?? line.subject?.identifier
        self.init(
            message: line.handler.map { "[\($0)] \(line.text)" } ?? line.text,
            priority: line.level.priority, identifier: "bgrun")
        self["MESSAGE_ID"] = line.subject.flatMap { Self.messageIDs[$0.kind] }
        self["BGRUN_SUBSYSTEM"] = Self.subsystem
        self["BGRUN_APP"] = app
        self["BGRUN_IDENTIFIER"] = task.flatMap { $0.isEmpty ? nil : $0 }
        self["BGRUN_ATTEMPT"] = line.attempt.map(String.init)
        self["BGRUN_REASON"] = line.subject?.reason
        self["BGRUN_EVENT"] = line.subject?.kind
    }
}

extension LogLine.Level {
    /// The syslog priority.
    var priority: Int {
        switch self {
        case .debug: 7
        case .info: 6
        case .warning: 4
        case .error: 3
        }
    }
}
