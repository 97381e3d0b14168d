// SPDX-License-Identifier: Apache-2.0

/// The common needs of all requests of a class: they are held back together, without a look at each one.
struct RequestClass: Equatable, Sendable {
    var conditions: Conditions
    /// The factors that may hold its requests back.
    var applicable: Factors = []
    /// Those of them that apply to the whole class alike.
    var factors: Factors = []
    var kind = TaskKind.processing
    /// The index of the group, or nil.
    var group: Int?

    init(_ declaration: TaskDeclaration, group: Int?, policy: Policy) {
        conditions = declaration.requires
        kind = declaration.kind
        self.group = group
        applicable = Factors(kind.factors)
        if conditions.contains(.externalPower) || policy.starvationDeadline == .zero {
            applicable.remove(Factors(.powerPreference))
            // Below the low gate the preference for power is a requirement.
            if kind == .processing { applicable.remove(Factors(.criticalBattery)) }
        }
        if conditions.contains(.idle) || !policy.processingNeedsIdle {
            applicable.remove(Factors(.userActivity))
        }
        factors = applicable
        // A factor of one task, not of its class, becomes a date of the request.
        if kind != .push { factors.remove(Factors(.rateLimit)) }
    }

    init(conditions: Conditions) { self.conditions = conditions }

    var prefersPower: Bool { factors.contains(.powerPreference) }
}

/// The present conditions and factors: which classes may be launched.
struct LaunchGate: Sendable {
    var conditions: Conditions
    /// The factors that let work start. They do not include preferences, which only delay.
    var factors: Factors
    /// How long a request of a class that prefers power waits.
    var powerWait = Interval.zero
    /// A bit for each kind that has reached its limit.
    var fullKinds: UInt16 = 0
    /// Whether the group has reached its limit.
    var fullGroups: [Bool] = []
    /// Requests above this id are not launched any more.
    var lastID = Int64.max
    /// The earliest date of each task's requests, in milliseconds since 1970.
    var notBefore: [Int64] = []

    /// Whether everything but a free slot is available.
    func holds(_ requestClass: RequestClass) -> Bool {
        conditions.isSuperset(of: requestClass.conditions)
            && factors.isSuperset(of: requestClass.factors)
    }

    func admits(_ requestClass: RequestClass) -> Bool {
        holds(requestClass) && fullKinds & 1 << UInt16(requestClass.kind.rawValue) == 0
            && !(requestClass.group.map { fullGroups[$0] } ?? false)
    }
}
