// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// One job on its way from one scheduler to another: what a manifest, a crontab line, a timer with its
/// service and a launchd job have in common.
package struct PortableTask: Hashable, Sendable {
    /// Under a manifest's `tasks:`.
    package var identifier: String
    /// Where the source says it.
    package var place: SourcePlace
    /// What it does, for people, in one line.
    package var description: String?
    /// What the source says beside it, for people.
    package var comments: [String] = []
    /// The user that runs it; nil for the user of the scheduler.
    package var user: String?
    package var command: PortableCommand
    package var schedule = PortableSchedule.manual
    /// The time zone of the schedule; nil for the machine's.
    package var zone: String?
    package var triggers = Triggers()
    /// Whether the host submits it at each of its starts, as nothing has a date for it: `submit: launch`.
    package var isSubmittedAtLaunch = false
    package var earliest: Interval?
    package var flex: Interval?
    package var jitter: Interval?
    package var startDeadline: Interval?
    package var catchUp: CatchUp?
    package var overlap: Overlap?
    /// `requires:`, in the manifest's words and order.
    package var requires: [Requirement] = []
    package var timeLimit: Interval?
    package var grace: Interval?
    package var retry: RetryRule?
    /// Keys of the manifest that have no counterpart here.
    package var otherKeys: [String] = []

    /// A text that a manifest cannot have as a description becomes a comment.
    mutating func describe(_ text: String) {
        guard text != identifier, text.contains(where: { !$0.isWhitespace }) else { return }
        description = TaskDefinition.description(text)
        if description == nil { comments = [text] }
    }

    /// What starts it besides the schedule: `on:` of a manifest.
    package struct Triggers: Hashable, Sendable {
        package var launch = false
        package var resume = false
        /// A manifest has room for one.
        package var path: String?
        /// A connection to it; only a manifest has it.
        package var socket: Socket?
        /// Others, by their key.
        package var others: [String] = []

        package var isEmpty: Bool { self == Triggers() }
    }

    /// `on: {socket}`, in the manifest's words.
    package struct Socket: Hashable, Sendable {
        package var address: String
        /// The mode of a file, octal; nil for an address of TCP.
        package var mode: String?
    }

    package struct Requirement: Hashable, Sendable {
        package var key: String
        package var value: String
    }
}

/// When a task is due.
package enum PortableSchedule: Hashable, Sendable {
    /// When it is submitted.
    case manual
    case every(Interval)
    /// Five fields, six with the seconds first, or a word such as `@daily`.
    case cron(String)
    /// Expressions of systemd.time(7).
    case calendar([String])
}

/// What a task runs.
package struct PortableCommand: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// A line for `/bin/sh -c`.
        case shell(String)
        /// A program and its words.
        case program([String])
        /// A handler or call only bgrun can run, as the manifest writes it.
        case bgrun(String)

        /// `.shell` for `SHELL -c LINE` with one of `shells`, otherwise `.program`.
        init(_ words: [String], shells: [String]) {
            let isShell = words.count == 3 && words[1] == "-c" && shells.contains(words[0])
            self = isShell ? .shell(words[2]) : .program(words)
        }
    }

    package var action: Action
    package var environment: [Variable] = []
    /// Where it starts; nil for the manifest's directory.
    package var directory: String?
    /// The text on its standard input; nil for none.
    package var input: String?
    /// Exit statuses that are a success; nil for 0.
    package var successCodes: [Int]?
    /// The signal that tells it that its time is over, without `SIG`; nil for TERM.
    package var expireSignal: String?

    package init(_ action: Action) {
        self.action = action
    }

    /// Puts programs before it that set its priority.
    mutating func prepend(_ prefix: [String]) {
        switch action {
        case _ where prefix.isEmpty: break
        case .program(let words) where !words.isEmpty: action = .program(prefix + words)
        case .shell(let line): action = .program(prefix + ["/bin/sh", "-c", line])
        case .program, .bgrun: break
        }
    }

    package struct Variable: Hashable, Sendable {
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
