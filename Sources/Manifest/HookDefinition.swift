// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// One entry of `hooks:`: what is done when something becomes of a task.
package struct HookDefinition: Hashable, Sendable {
    package var triggers: Set<HookTrigger>
    /// Identifiers, or prefixes that end in `.*`; empty for every task.
    package var tasks: [String] = []
    package var action: Action
    /// It is fired by this failure in a row of a task, and by those that follow; 1 or more.
    package var after = 1
    /// At most one firing per task in this time; nil for no limit.
    package var every: Interval?
    /// How long a request is due before it starves; nil for what the policy says.
    package var waiting: Interval?
    /// How long it may run before all it has started is killed.
    package var timeout = HookDefinition.defaultTimeout

    package enum Action: Hashable, Sendable {
        /// A command, as the parameters of `exec.run`: a JSON object.
        case run(parameters: String)
        /// A request to a web server. Absolute paths: a file of headers, and a file of trusted
        /// certificates (PEM); nil: the system's.
        case post(address: String, headersFile: String?, authoritiesFile: String?)
    }

    static let defaultTimeout = Interval.seconds(30)

    /// What names the hook in the store: the same for as long as the manifest says the same of when it
    /// is fired and what it does, however often.
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

/// What a hook may be fired by; the words of the manifest.
package enum HookTrigger: String, Hashable, Sendable, CaseIterable, Codable {
    /// An attempt reported no success, crashed, exited or could not begin.
    case failed
    /// An attempt's time was revoked, and not at the request of a person.
    case expired
    /// The host died while it ran.
    case interrupted
    /// A request was given up after its last attempt.
    case gaveUp = "gave-up"
    /// A request was dropped, since an attempt was running or its `start_deadline` was over.
    case skipped
    /// What the host submits at its start was not accepted.
    case refused
    /// A request is due for too long.
    case starved
    /// An attempt completed after failures, or after a wait, that had fired a hook.
    case recovered
    /// An attempt completed.
    case completed

    /// Whether failures in a row bring it about.
    var followsFailures: Bool {
        switch self {
        case .failed, .expired, .gaveUp, .recovered: true
        case .interrupted, .skipped, .refused, .starved, .completed: false
        }
    }
}
