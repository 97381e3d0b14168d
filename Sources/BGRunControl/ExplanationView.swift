// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// An explanation, as it is sent and printed. Dates are milliseconds since 1970.
public struct ExplanationView: Codable, Hashable, Sendable {
    public var identifier: String
    public var kind: String
    /// `running`, `pending` or `idle`.
    public var state: String
    /// The attempt that runs.
    public var attempt: Int64?
    /// The request that is pending.
    public var request: Int64?
    public var submitted: Int64?
    /// The one reason a pending request is not running.
    public var reason: String?
    /// When that ends if nothing happens.
    public var reasonUntil: Int64?
    /// The next date at which anything changes though nothing happens.
    public var next: Int64?
    public var lines: [Line]
    /// What happened to the task last, as far as it is stored.
    public var events: [Event] = []

    /// A line of the task's history.
    public struct Event: Codable, Hashable, Sendable {
        public var at: Int64
        public var kind: String
        public var attempt: Int64?
        public var text: String

        public init(at: Int64, kind: String, attempt: Int64?, text: String) {
            self.at = at
            self.kind = kind
            self.attempt = attempt
            self.text = text
        }
    }

    public struct Line: Codable, Hashable, Sendable {
        /// `date`, `condition`, `factor` or `limit`.
        public var subject: String
        public var name: String
        public var current: String
        public var needed: String
        public var satisfied: Bool
        public var since: Int64?
        public var until: Int64?
    }

    public init(_ explanation: Explanation, now: WallTime) {
        identifier = explanation.identifier
        kind = explanation.kind.name
        switch explanation.state {
        case .running(let attempt):
            state = "running"
            self.attempt = attempt
        case .pending(let request):
            state = "pending"
            self.request = request.id
            submitted = request.submitted.milliseconds
        case .idle:
            state = "idle"
        }
        reason = explanation.reason?.text(now: now)
        reasonUntil = explanation.reason?.until?.milliseconds
        next = explanation.next?.milliseconds
        lines = explanation.lines.map { line in
            Line(
                subject: line.subject.rawValue, name: line.name, current: line.current,
                needed: line.needed, satisfied: line.isSatisfied,
                since: line.since?.milliseconds, until: line.until?.milliseconds)
        }
    }
}
