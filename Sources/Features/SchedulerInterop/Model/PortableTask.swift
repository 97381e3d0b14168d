// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// A job to be converted between schedulers: the common properties of a manifest's task, a crontab line, a timer with
/// its service and a launchd job.
package struct PortableTask: Equatable, Sendable {
    /// The key under `tasks:` of a manifest.
    package var identifier: String
    /// Its position in the source.
    var place: SourcePlace
    /// A description for people, on one line.
    package var description: String?
    /// The comments beside it in the source.
    var comments: [String] = []
    /// The user that runs it; nil for the user of the scheduler.
    var user: String?
    package var command: PortableCommand
    package var schedule = PortableSchedule.manual
    /// The time zone of the schedule; nil for the machine's.
    package var zone: String?
    package var triggers = Triggers()
    /// Whether the host submits it at each of its starts, since it has no date: `submit: launch`.
    var isSubmittedAtLaunch = false
    var earliest: Interval?
    var flex: Interval?
    var jitter: Interval?
    var startDeadline: Interval?
    var catchUp: CatchUp?
    var overlap: Overlap?
    /// `requires:`, in the manifest's words and order.
    var requires: [Requirement] = []
    var timeLimit: Interval?
    var grace: Interval?
    var retry: RetryRule?
    /// Keys of the manifest without a counterpart here.
    var otherKeys: [String] = []

    /// A text that is not a valid description in a manifest becomes a comment.
    mutating func describe(_ text: String) {
        guard text != identifier, text.contains(where: { !$0.isWhitespace }) else { return }
        description = TaskDefinition.description(text)
        if description == nil { comments = [text] }
    }

    /// Its triggers besides the schedule: `on:` of a manifest.
    package struct Triggers: Equatable, Sendable {
        var launch = false
        var resume = false
        /// A manifest can have only one.
        package var path: String?
        /// A connection to it; only in manifests.
        var socket: Socket?
        /// The keys of other triggers.
        var others: [String] = []

        var isEmpty: Bool { self == Triggers() }
    }

    /// `on: {socket}`, in the manifest's words.
    struct Socket: Equatable, Sendable {
        var address: String
        /// The mode of the socket file, octal; nil for a TCP address.
        var mode: String?
    }

    struct Requirement: Equatable, Sendable {
        var key: String
        var value: String
    }
}

/// When a task is due.
package enum PortableSchedule: Equatable, Sendable {
    /// Only when it is submitted.
    case manual
    case every(Interval)
    /// Five fields, six with the seconds first, or a word such as `@daily`.
    case cron(String)
    /// Expressions of systemd.time(7).
    case calendar([String])
}

/// The command of a task.
package struct PortableCommand: Equatable, Sendable {
    package enum Action: Equatable, Sendable {
        /// A line for `/bin/sh -c`.
        case shell(String)
        /// A program and its words.
        case program([String])
        /// A handler or call that only bgrun can run, as written in the manifest.
        case bgrun(String)

        /// `.shell` for `SHELL -c LINE` with one of `shells`, otherwise `.program`.
        init(_ words: [String], shells: [String]) {
            let isShell = words.count == 3 && words[1] == "-c" && shells.contains(words[0])
            self = isShell ? .shell(words[2]) : .program(words)
        }
    }

    package var action: Action
    package var environment: [Variable] = []
    /// Its working directory; nil for the manifest's directory.
    var directory: String?
    /// The text on its standard input; nil for none.
    package var input: String?
    /// Exit statuses that are a success; nil for 0.
    var successCodes: [Int]?
    /// The signal for the end of its time, without `SIG`; nil for TERM.
    var expireSignal: String?

    init(_ action: Action) {
        self.action = action
    }

    /// Puts words before it, for programs that set its priority.
    mutating func prepend(_ prefix: [String]) {
        switch action {
        case _ where prefix.isEmpty: break
        case .program(let words) where !words.isEmpty: action = .program(prefix + words)
        case .shell(let line): action = .program(prefix + ["/bin/sh", "-c", line])
        case .program, .bgrun: break
        }
    }

    package struct Variable: Equatable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension [PortableCommand.Variable] {
    /// The value of the variable `name`.
    subscript(name: String) -> String? {
        get { first { $0.name == name }?.value }
        set {
            let index = firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): self[index].value = value
            case (let index?, nil): remove(at: index)
            case (nil, let value?): append(PortableCommand.Variable(name, value))
            case (nil, nil): break
            }
        }
    }
}
