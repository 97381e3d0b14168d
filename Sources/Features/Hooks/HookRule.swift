// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunManifest
import BGRunPolicy

/// Decides which hooks an event of a task fires. Pure: the state that must survive the host is in `memory`, and
/// `takeChanges` returns its changes.
struct HookRule: Sendable {
    /// An event of a task.
    enum Happening: Equatable, Sendable {
        /// An attempt ended; `isGivenUp`: and no further one is allowed.
        case ended(Outcome, isGivenUp: Bool = false)
        /// A request was given up without an attempt.
        case gaveUp
        case skipped
        case refused
    }

    /// A hook that must run.
    struct Firing: Equatable, Sendable {
        /// The index in the manifest.
        var hook: Int
        var trigger: HookTrigger
        var identifier: String
        /// Failures in a row; for `recovered` and `completed`, the failures before.
        var failures: Int64
        /// When a starving request became due.
        var due: WallTime?
    }

    private let hooks: [Hook]
    /// The hooks for starving requests.
    private let starving: [Hook]
    /// How long a request is due before it starves, unless the hook sets its own time.
    private let timeout: Interval
    /// By name: `failures:ID`, `fired:HOOK:ID`, `recovered:HOOK:ID` (the date of the last recovery), `starved:HOOK:ID`
    /// (the date when its request was due).
    private(set) var memory: [String: Int64]
    private var changed: Set<String> = []
    /// The maximum number of names: a plugin may invent identifiers that match a wildcard. Above it no new names are
    /// stored, and hooks about new identifiers may run more often.
    static let mostMemory = 20_000
    /// When each pending request became due, if a hook waits for it.
    private(set) var due: [String: WallTime] = [:]

    private struct Hook: Sendable {
        let place: Int
        let definition: HookDefinition
        let key: String
        let tasks: IdentifierRule?

        init(_ definition: HookDefinition, at place: Int) {
            self.place = place
            self.definition = definition
            key = definition.key
            tasks = definition.tasks.isEmpty ? nil : IdentifierRule(permitting: definition.tasks)
        }

        func isFor(_ identifier: String) -> Bool { tasks?.permits(identifier) ?? true }
    }

    /// - Parameters:
    ///   - timeout: How long a request is due before it starves, unless a hook sets its own time.
    ///   - memory: The state of earlier hosts. Obsolete entries are removed.
    init(
        _ definitions: [HookDefinition], timeout: Interval, memory: [String: Int64],
        at now: WallTime
    ) {
        hooks = definitions.enumerated().map { Hook($0.element, at: $0.offset) }
        starving = hooks.filter { $0.definition.triggers.contains(.starved) }
        self.timeout = timeout
        self.memory = memory
        let known = Dictionary(
            hooks.map { ($0.key, $0.definition.every ?? .zero) }, uniquingKeysWith: max)
        for (name, value) in memory {
            let parts = name.split(separator: ":", maxSplits: 2)
            guard parts.count == 3 else {
                if definitions.isEmpty { set(name, nil) }
                continue
            }
            let every = known[String(parts[1])]
            let isOver =
                parts[0] != "starved"
                && every.map { WallTime(milliseconds: value).advanced(by: $0) <= now } ?? true
            if every == nil || isOver { set(name, nil) }
        }
    }

    /// The changes of the memory since the last call; nil values are removed.
    mutating func takeChanges() -> [(name: String, value: Int64?)] {
        defer { changed = [] }
        return changed.sorted().map { ($0, memory[$0]) }
    }

    // MARK: events

    mutating func note(
        _ happening: Happening, of identifier: String, at now: WallTime
    ) -> [Firing] {
        guard !hooks.isEmpty else { return [] }
        let before = max(0, memory["failures:" + identifier] ?? 0)
        var failures = before
        if case .ended(let outcome, _) = happening, let isFailure = outcome.isFailure {
            failures = isFailure ? before.saturatingAdding(1) : 0
            set("failures:" + identifier, isFailure ? failures : nil)
        }
        // In order of importance; a hook reports only one of them.
        var triggers: [HookTrigger]
        switch happening {
        case .ended(let outcome, let isGivenUp):
            triggers = Self.triggers(of: outcome)
            // No trigger reports an end caused by a person.
            if isGivenUp, !triggers.isEmpty { triggers.insert(.gaveUp, at: 0) }
        case .gaveUp: triggers = [.gaveUp]
        case .skipped: triggers = [.skipped]
        case .refused: triggers = [.refused]
        }
        var firings: [Firing] = []
        for hook in hooks where hook.isFor(identifier) {
            let trigger = triggers.first { trigger in
                hook.definition.triggers.contains(trigger)
                    && hasCause(hook, trigger, identifier, failures: failures, before: before)
            }
            if happening == .ended(.completed) { set(Self.name("starved", hook, identifier), nil) }
            guard let trigger, mayFire(hook, trigger, identifier, at: now) else { continue }
            let count = trigger == .recovered ? before : failures
            firings.append(
                Firing(hook: hook.place, trigger: trigger, identifier: identifier, failures: count))
        }
        return firings
    }

    private static func triggers(of outcome: Outcome) -> [HookTrigger] {
        switch outcome {
        case .completed: [.recovered, .completed]
        case .failed, .crashed, .limited, .exited, .refused: [.failed]
        case .expired(.shutdown, _), .expired(.cancelled, _), .expired(.suspend, _),
            .expired(.manifestChanged, _):
            []
        case .expired: [.expired]
        case .interrupted: [.interrupted]
        }
    }

    private func hasCause(
        _ hook: Hook, _ trigger: HookTrigger, _ identifier: String, failures: Int64, before: Int64
    ) -> Bool {
        let after = Int64(hook.definition.after)
        switch trigger {
        case .failed: return failures >= after
        case .recovered:
            return before >= after || memory[Self.name("starved", hook, identifier)] != nil
        // A revocation by the system is not a failure, and does not wait for the number of failures.
        case .expired, .gaveUp: return after == 1 || failures >= after
        default: return true
        }
    }

    /// Whether its last firing was long enough ago; if so, records this one.
    private mutating func mayFire(
        _ hook: Hook, _ trigger: HookTrigger, _ identifier: String, at now: WallTime
    ) -> Bool {
        guard let every = hook.definition.every else { return true }
        // An earlier failure report does not delay the report of a recovery.
        let name = Self.name(trigger == .recovered ? "recovered" : "fired", hook, identifier)
        if let last = memory[name], last <= now.milliseconds,
            WallTime(milliseconds: last).advanced(by: every) > now
        {
            return false
        }
        set(name, now.milliseconds)
        return true
    }

    // MARK: starvation

    /// A request is pending, maybe with a new date. Returns when it starves, unless it is launched before; nil if no
    /// hook watches it.
    mutating func wait(for request: TaskRequest) -> WallTime? {
        guard starving.contains(where: { $0.isFor(request.identifier) }) else { return nil }
        due[request.identifier] =
            request.waitingSince ?? max(request.submitted, request.earliest ?? request.submitted)
        return starvation(of: request.identifier)
    }

    /// The request is no longer pending.
    mutating func stopWaiting(for identifier: String) { due[identifier] = nil }

    /// Whether a hook watches any pending request.
    var isWaiting: Bool { !due.isEmpty }

    /// The next date at which a request starves; nil for never. Checks every pending request.
    var nextStarvation: WallTime? { due.keys.lazy.compactMap(starvation).min() }

    private func starvation(of identifier: String) -> WallTime? {
        guard let date = due[identifier] else { return nil }
        return starving.lazy.filter { $0.isFor(identifier) && !isTold($0, identifier) }
            .map { end(of: date, $0) }.min()
    }

    /// The hooks of starving requests; reports each request once.
    mutating func starve(at now: WallTime) -> [Firing] {
        var firings: [Firing] = []
        for (identifier, date) in due.sorted(by: { $0.key < $1.key }) {
            for hook in starving
            where hook.isFor(identifier) && !isTold(hook, identifier)
                && end(of: date, hook) <= now
            {
                set(Self.name("starved", hook, identifier), date.milliseconds)
                guard mayFire(hook, .starved, identifier, at: now) else { continue }
                firings.append(
                    Firing(
                        hook: hook.place, trigger: .starved, identifier: identifier,
                        failures: memory["failures:" + identifier] ?? 0, due: date))
            }
        }
        return firings
    }

    private func end(of due: WallTime, _ hook: Hook) -> WallTime {
        due.advanced(by: hook.definition.waiting ?? timeout)
    }

    private func isTold(_ hook: Hook, _ identifier: String) -> Bool {
        due[identifier].map { memory[Self.name("starved", hook, identifier)] == $0.milliseconds }
            ?? true
    }

    // MARK: memory

    private static func name(_ what: String, _ hook: Hook, _ identifier: String) -> String {
        "\(what):\(hook.key):\(identifier)"
    }

    private mutating func set(_ name: String, _ value: Int64?) {
        guard memory[name] != value,
            value == nil || memory[name] != nil || memory.count < Self.mostMemory
        else { return }
        memory[name] = value
        changed.insert(name)
    }
}
