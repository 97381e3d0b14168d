// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One entry of `hooks:`: an action after an event of a task.
package struct HookDefinition: Equatable, Sendable {
    package var triggers: Set<HookTrigger>
    /// Identifiers, or prefixes that end in `.*`; empty for all tasks.
    package var tasks: [String] = []
    package var action: Action
    /// The number of consecutive failures of a task from which on it is fired; 1 or more.
    package var after = 1
    /// At most one firing per task in this time; nil for no limit.
    package var every: Interval?
    /// The time after which a due request starves; nil for the policy's default.
    package var waiting: Interval?
    /// The time limit after which it and everything it started is killed.
    package var timeout = HookDefinition.defaultTimeout

    package enum Action: Equatable, Sendable {
        /// A command, as the parameters of `exec.run`: a JSON object.
        case run(parameters: String)
        /// A request to a web server. Absolute paths: a file of headers, and a file of trusted
        /// certificates (PEM); nil: the system's.
        case post(address: String, headersFile: String?, authoritiesFile: String?)
    }

    static let defaultTimeout = Interval.seconds(30)

    /// The hook's key in the store: unchanged while the manifest states the same triggers and actions,
    /// regardless of its limits of frequency.
    package var key: String {
        let words = triggers.map(\.rawValue).sorted() + tasks
        let action =
            switch action {
            case .run(let parameters): parameters
            case .post(let address, _, _): address
            }
        return String((words + [action]).joined(separator: "\n").fnv1a, radix: 36)
    }
}

/// The triggers of a hook; the words of the manifest.
package enum HookTrigger: String, Equatable, Sendable, CaseIterable, Codable {
    /// An attempt reported no success, crashed, was limited, exited or could not begin.
    case failed
    /// An attempt's time was revoked, and not at the request of a person.
    case expired
    /// The host died while it ran.
    case interrupted
    /// A request was given up after its last attempt.
    case gaveUp = "gave-up"
    /// A request was dropped, because an attempt was running or its `start_deadline` had passed.
    case skipped
    /// A submission at the start of the host was refused.
    case refused
    /// A request has been due for too long.
    case starved
    /// An attempt completed after failures, or after a wait, that had fired a hook.
    case recovered
    /// An attempt completed.
    case completed

    /// Whether it counts consecutive failures.
    var followsFailures: Bool {
        switch self {
        case .failed, .expired, .gaveUp, .recovered: true
        case .interrupted, .skipped, .refused, .starved, .completed: false
        }
    }
}
