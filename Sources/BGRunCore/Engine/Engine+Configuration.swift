// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// What the manifest declares.
    public struct Configuration: Sendable {
        public var permitted: [String]
        public var declarations: [TaskDeclaration]
        public var modes: Set<Mode>
        public var policy: Policy
        /// The time zone in which the hours of use are counted.
        public var usageZone: ZoneRules

        public init(
            permitted: [String], declarations: [TaskDeclaration], modes: Set<Mode>, policy: Policy,
            usageZone: ZoneRules = .utc
        ) {
            self.permitted = permitted
            self.declarations = declarations
            self.modes = modes
            self.policy = policy
            self.usageZone = usageZone
        }
    }

    /// What the store remembers.
    public struct Restoration: Sendable {
        public var requests: [TaskRequest]
        /// When each periodic identifier was last launched.
        public var lastLaunches: [String: WallTime]
        public var facts: AppFacts
        public var nextRequestID: Int64
        public var nextAttemptID: Int64

        public init(
            requests: [TaskRequest] = [], lastLaunches: [String: WallTime] = [:],
            facts: AppFacts = AppFacts(), nextRequestID: Int64 = 1, nextAttemptID: Int64 = 1
        ) {
            self.requests = requests
            self.lastLaunches = lastLaunches
            self.facts = facts
            self.nextRequestID = nextRequestID
            self.nextAttemptID = nextAttemptID
        }
    }
}
