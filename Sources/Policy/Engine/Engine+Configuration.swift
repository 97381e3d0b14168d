// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// The declarations of the manifest.
    package struct Configuration: Sendable {
        package var permitted: [String]
        package var declarations: [TaskDeclaration]
        package var modes: Set<Mode>
        package var policy: Policy
        /// The time zone for hours of use.
        package var usageZone: ZoneRules

        package init(
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

    /// The contents of the store.
    package struct Restoration: Sendable {
        package var requests: [TaskRequest]
        /// When each periodic identifier was last launched.
        package var lastLaunches: [String: WallTime]
        package var facts: AppFacts
        package var nextRequestID: Int64
        package var nextAttemptID: Int64
        /// The number of other stored requests of each kind; they count towards the limits.
        package var notLoaded: [TaskKind: Int] = [:]

        package init(
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
