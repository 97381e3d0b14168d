// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// One job on its way from one scheduler to another: what a manifest, a crontab line, a timer with its
/// service and a launchd job have in common.
public struct MovedTask: Hashable, Sendable {
    /// Under a manifest's `tasks:`.
    public var identifier: String
    /// Where the source says it.
    public var place: SourcePlace
    /// What the source says beside it, for people.
    public var comments: [String] = []
    /// The user that runs it; nil for the user of the scheduler.
    public var user: String?
    public var command: MovedCommand
    public var schedule = MovedSchedule.manual
    /// The time zone of the schedule; nil for the machine's.
    public var zone: String?
    public var triggers = Triggers()
    /// Whether the host submits it at each of its starts, as nothing has a date for it: `submit: launch`.
    public var isSubmittedAtLaunch = false
    public var earliest: Interval?
    public var flex: Interval?
    public var jitter: Interval?
    public var startDeadline: Interval?
    public var catchUp: CatchUp?
    public var overlap: Overlap?
    /// `requires:`, in the manifest's words and order.
    public var requires: [Requirement] = []
    public var timeLimit: Interval?
    public var grace: Interval?
    public var retry: RetryRule?
    /// Keys of the manifest that have no counterpart here.
    public var otherKeys: [String] = []

    public init(identifier: String, place: SourcePlace, command: MovedCommand) {
        self.identifier = identifier
        self.place = place
        self.command = command
    }

    /// What starts it besides the schedule: `on:` of a manifest.
    public struct Triggers: Hashable, Sendable {
        public var launch = false
        public var resume = false
        /// A manifest has room for one.
        public var path: String?
        /// A connection to it; only a manifest has it.
        public var socket: Socket?
        /// Others, by their key.
        public var others: [String] = []

        public init() {}

        public var isEmpty: Bool { self == Triggers() }
    }

    /// `on: {socket}`, in the manifest's words.
    public struct Socket: Hashable, Sendable {
        public var address: String
        /// The mode of a file, octal; nil for an address of TCP.
        public var mode: String?

        public init(_ address: String, mode: String?) {
            self.address = address
            self.mode = mode
        }
    }

    public struct Requirement: Hashable, Sendable {
        public var key: String
        public var value: String

        public init(_ key: String, _ value: String) {
            self.key = key
            self.value = value
        }
    }
}

/// When a task is due.
public enum MovedSchedule: Hashable, Sendable {
    /// When it is submitted.
    case manual
    case every(Interval)
    /// Five fields, six with the seconds first, or a word such as `@daily`.
    case cron(String)
    /// Expressions of systemd.time(7).
    case calendar([String])
}

/// What a task runs.
public struct MovedCommand: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        /// A line for `/bin/sh -c`.
        case shell(String)
        /// A program and its words.
        case program([String])
        /// A handler or call only bgrun can run, as the manifest writes it.
        case bgrun(String)
    }

    public var action: Action
    public var environment: [Variable] = []
    /// Where it starts; nil for the manifest's directory.
    public var directory: String?
    /// The text on its standard input; nil for none.
    public var input: String?
    /// Exit statuses that are a success; nil for 0.
    public var successCodes: [Int]?
    /// The signal that tells it that its time is over, without `SIG`; nil for TERM.
    public var expireSignal: String?

    public init(_ action: Action) {
        self.action = action
    }

    public struct Variable: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension [MovedCommand.Variable] {
    /// The value of the variable `name`.
    subscript(name: String) -> String? {
        get { first { $0.name == name }?.value }
        set {
            let index = firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): self[index].value = value
            case (let index?, nil): remove(at: index)
            case (nil, let value?): append(MovedCommand.Variable(name, value))
            case (nil, nil): break
            }
        }
    }
}
