// SPDX-License-Identifier: Apache-2.0

extension Engine {
    /// The whole state of an engine besides its configuration, for the journal: an engine restored from it makes the
    /// same decisions.
    package struct Snapshot: Equatable, Sendable {
        package var device: DeviceState
        package var facts: AppFacts
        package var nextRequestID: Int64
        package var nextAttemptID: Int64
        package var isShuttingDown: Bool
        package var suspendingSince: WallTime?
        package var reloadingSince: WallTime?
        package var share: Share?
        package var shortage: Shortage?
        package var expiry: WallTime?
        package var wake: Int64?
        package var gate: GateState
        /// In the order of the declarations.
        package var tasks: [Launches]
        /// By attempt id, ascending.
        package var running: [RunningAttempt]
        package var pending: [Pending]

        package init(
            device: DeviceState, facts: AppFacts, nextRequestID: Int64, nextAttemptID: Int64,
            isShuttingDown: Bool, suspendingSince: WallTime?, reloadingSince: WallTime?,
            share: Share?, shortage: Shortage?, expiry: WallTime?, wake: Int64?, gate: GateState,
            tasks: [Launches], running: [RunningAttempt], pending: [Pending]
        ) {
            self.device = device
            self.facts = facts
            self.nextRequestID = nextRequestID
            self.nextAttemptID = nextAttemptID
            self.isShuttingDown = isShuttingDown
            self.suspendingSince = suspendingSince
            self.reloadingSince = reloadingSince
            self.share = share
            self.shortage = shortage
            self.expiry = expiry
            self.wake = wake
            self.gate = gate
            self.tasks = tasks
            self.running = running
            self.pending = pending
        }

        /// The state of conditions and factors, since when, and when it may change by itself.
        package struct GateState: Equatable, Sendable {
            package var conditions: Conditions
            package var factors: UInt16
            package var powerWait: Interval
            package var lastID: Int64
            package var notBefore: [Int64]
            package var seen: WallTime?
            package var flips: WallTime?
            package var contendedSince: WallTime?
            package var conditionsSince: [WallTime?]
            package var factorsSince: [WallTime?]

            package init(
                conditions: Conditions, factors: UInt16, powerWait: Interval, lastID: Int64,
                notBefore: [Int64], seen: WallTime?, flips: WallTime?, contendedSince: WallTime?,
                conditionsSince: [WallTime?], factorsSince: [WallTime?]
            ) {
                self.conditions = conditions
                self.factors = factors
                self.powerWait = powerWait
                self.lastID = lastID
                self.notBefore = notBefore
                self.seen = seen
                self.flips = flips
                self.contendedSince = contendedSince
                self.conditionsSince = conditionsSince
                self.factorsSince = factorsSince
            }
        }

        /// When a task was launched.
        package struct Launches: Equatable, Sendable {
            package var last: WallTime?
            package var spacedFrom: WallTime?
            package var spacedBefore: WallTime?
            package var hasYielded: Bool

            package init(
                last: WallTime?, spacedFrom: WallTime?, spacedBefore: WallTime?, hasYielded: Bool
            ) {
                self.last = last
                self.spacedFrom = spacedFrom
                self.spacedBefore = spacedBefore
                self.hasYielded = hasYielded
            }
        }

        package struct Pending: Equatable, Sendable {
            package var request: TaskRequest
            package var placed: WallTime?
            package var since: Int64
            package var stage: Stage

            package init(request: TaskRequest, placed: WallTime?, since: Int64, stage: Stage) {
                self.request = request
                self.placed = placed
                self.since = since
                self.stage = stage
            }
        }

        package enum Stage: Equatable, Sendable {
            /// Until this date, in milliseconds since 1970.
            case delayed(until: Int64)
            case ready
            case parked
        }
    }

    /// This engine between two events.
    package var snapshot: Snapshot {
        var snapshot = snapshotWithoutPending
        snapshot.pending.reserveCapacity(pending.count)
        visitPending { snapshot.pending.append($0) }
        return snapshot
    }

    /// Visits the elements of `snapshot.pending` without a copy of all.
    package func visitPending(_ body: (Snapshot.Pending) -> Void) { pending.visit(body) }

    /// All of `snapshot` except the pending requests.
    package var snapshotWithoutPending: Snapshot {
        Snapshot(
            device: device, facts: facts, nextRequestID: nextRequestID,
            nextAttemptID: nextAttemptID, isShuttingDown: isShuttingDown,
            suspendingSince: suspendingSince, reloadingSince: reloadingSince, share: share,
            shortage: shortage, expiry: expiry, wake: wake,
            gate: Snapshot.GateState(
                conditions: gate.conditions, factors: gate.factors.rawValue,
                powerWait: gate.powerWait, lastID: gate.lastID, notBefore: gate.notBefore,
                seen: gateSeen, flips: gateFlips, contendedSince: contendedSince,
                conditionsSince: conditionsSince, factorsSince: factorsSince),
            tasks: tasks.map {
                Snapshot.Launches(
                    last: $0.lastLaunch, spacedFrom: $0.spacedFrom, spacedBefore: $0.spacedBefore,
                    hasYielded: $0.hasYielded)
            },
            running: running.map(\.forSnapshot),
            pending: [])
    }

    /// Restores the engine from `snapshot`; nil if it does not match this configuration.
    package init?(_ configuration: Configuration, _ snapshot: Snapshot) {
        self.init(
            configuration, device: snapshot.device,
            restoring: Restoration(
                facts: snapshot.facts, nextRequestID: snapshot.nextRequestID,
                nextAttemptID: snapshot.nextAttemptID))
        guard snapshot.tasks.count == tasks.count, snapshot.gate.notBefore.count == tasks.count,
            snapshot.gate.conditionsSince.count <= conditionsSince.count,
            // A journal of an older bgrun has fewer factors.
            snapshot.gate.factorsSince.count <= factorsSince.count,
            snapshot.running.allSatisfy({ tasks.indices.contains($0.task) }),
            snapshot.runsNothingTwice
        else { return nil }
        for (task, launches) in snapshot.tasks.enumerated() {
            tasks[task].lastLaunch = launches.last
            tasks[task].spacedFrom = launches.spacedFrom
            tasks[task].spacedBefore = launches.spacedBefore
            tasks[task].hasYielded = launches.hasYielded
        }
        for attempt in snapshot.running { takeOver(attempt, of: attempt.task) }
        pending.reserveCapacity(snapshot.pending.count)
        for waiting in snapshot.pending {
            guard let task = setup.admission.index(for: waiting.request.identifier),
                !pending.isPending(waiting.request.identifier)
            else { return nil }
            pending.restore(
                waiting, task: task, requestClass: requestClass(of: task, for: waiting.request))
        }
        // A request submitted during a running attempt of its identifier is recorded there.
        guard
            running.allSatisfy({
                $0.hasFollower || !pending.isPending($0.attempt.request.identifier)
            })
        else { return nil }
        restore(snapshot.gate)
        isShuttingDown = snapshot.isShuttingDown
        suspendingSince = snapshot.suspendingSince
        reloadingSince = snapshot.reloadingSince
        share = snapshot.share
        shortage = snapshot.shortage
        expiry = snapshot.expiry
        wake = snapshot.wake
    }

    private mutating func restore(_ state: Snapshot.GateState) {
        gate.conditions = state.conditions
        gate.factors = Factors(rawValue: state.factors)
        gate.powerWait = state.powerWait
        gate.lastID = state.lastID
        gate.notBefore = state.notBefore
        gateSeen = state.seen
        gateFlips = state.flips
        contendedSince = state.contendedSince
        // An older bgrun has fewer conditions.
        conditionsSince.replaceSubrange(state.conditionsSince.indices, with: state.conditionsSince)
        factorsSince.replaceSubrange(state.factorsSince.indices, with: state.factorsSince)
    }
}

extension Engine.Snapshot {
    /// Whether each attempt and each identifier runs once.
    fileprivate var runsNothingTwice: Bool {
        let attempts = Set(running.map(\.attempt.id))
        let identifiers = Set(running.map(\.attempt.request.identifier))
        return attempts.count == running.count && identifiers.count == running.count
    }
}
