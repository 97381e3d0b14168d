// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunDevice
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem

/// Checks of the app's past attempts and waiting requests.
extension AppDoctor {
    func past(_ check: DoctorCheck) throws -> [DoctorFinding] {
        switch check {
        case .log: [try launches()]
        case .forceQuit: [try forceQuit()]
        case .refresh: [try refresh()]
        case .budget: [try budget()]
        case .penalties: [try penalties()]
        case .waiting: try waiting() + resting() + dateless()
        case .failures: try failures()
        case .device: [try device()]
        default: []
        }
    }

    private var facts: AppFacts {
        get throws { try store?.appFacts() ?? AppFacts() }
    }

    /// The time of the last launch.
    private func launches() throws -> DoctorFinding {
        let store = self.store
        let newest = try store?.history(limit: 1).first
        if let row = try openRows().last?.attempt, row.id > newest?.attempt ?? 0 {
            return .warn(
                .log,
                "\(row.request.identifier) was launched last, \(row.launched.wall.localText): its host "
                    + "died", "the next host makes its request pending again",
                next: "bgrun run \(options)")
        }
        guard let last = newest else {
            if let first = try store?.running().first?.attempt {
                return .ok(
                    .log,
                    "\(first.request.identifier) was launched first, "
                        + "\(first.launched.wall.localText), and no attempt has ended yet")
            }
            return DoctorFinding(
                check: .log, status: .warn, found: "nothing was launched so far",
                next: "bgrun pending \(options)")
        }
        return .ok(
            .log,
            "\(last.identifier) was launched last, \(last.launched.localText): "
                + last.outcome.sentence)
    }

    /// The attempts whose host died, and whose requests the next host makes pending again.
    private func openRows() throws -> [RunningRow] {
        guard let store, try HostLock.holder(of: state.hostLock) == nil else { return [] }
        let open = Set(try store.interruptedAttempts().map(\.id))
        return try store.running().filter { row in
            let request = row.attempt.request.identifier
            return try open.contains(row.attempt.id) && store.request(request) == nil
        }
    }

    private func forceQuit() throws -> DoctorFinding {
        guard try facts.isForceQuit else {
            return .ok(.forceQuit, "the app was not removed by force")
        }
        return .fail(
            .forceQuit, "the app was force-quit", "nothing is launched until it is opened",
            next: "bgrun open \(options)")
    }

    private func refresh() throws -> DoctorFinding {
        let state = try facts.refreshSwitch
        guard state != .available else { return .ok(.refresh, "background refresh is on") }
        return .fail(
            .refresh, "background refresh is \(state.name)", "what is submitted waits",
            next: "bgrun refresh \(options) on")
    }

    private func budget() throws -> DoctorFinding {
        let policy = manifest.policy
        guard policy.budget > .zero else { return .ok(.budget, "the policy has no budget") }
        let spent = try facts.budget.spent(policy: policy, now: SystemClock().now.wall)
        let text = "\(spent.text) of \(policy.budget.text) are spent"
        let reserve = min(policy.timeLimits.appRefresh, policy.budget)
        guard spent.nanoseconds.saturatingAdding(reserve.nanoseconds) > policy.budget.nanoseconds
        else { return .ok(.budget, text) }
        return .warn(
            .budget, text, "without external power, refreshes wait until some of it is restored",
            next: "bgrun policy \(path)")
    }

    private func penalties() throws -> DoctorFinding {
        let missed = try facts.missedCompletions.filter { $0.value > 0 }
        guard let first = missed.min(by: { $0.key < $1.key }) else {
            return .ok(.penalties, "every attempt reported in time")
        }
        return .warn(
            .penalties,
            "\(first.key) ran out of time without a report the last "
                + (first.value == 1 ? "time" : "\(first.value) times"),
            "its next launch is delayed; the handler must call complete on every path, also "
                + "when it is told to expire",
            next: "bgrun logs \(options) \(first.key)")
    }

    /// A few of the due requests that wait, each with the reason.
    private func waiting() throws -> [DoctorFinding] {
        let now = SystemClock().now.wall
        let due = Dictionary(
            (try store?.pending(limit: 10_000) ?? []).map { ($0.identifier, $0.due) }
        ) { first, _ in first }
        let count = due.count + (try openRows().count)
        let rows = try? ask(ControlRequest(.pending)).pending
        let late = (rows ?? []).filter { due[$0.identifier].map { $0 <= now } ?? false }
        guard !late.isEmpty else {
            return [
                .ok(
                    .waiting,
                    rows == nil
                        ? count.counted("request waits", "requests wait") + " for a host"
                        : "no request is overdue")
            ]
        }
        return late.prefix(5).map { row in
            .warn(
                .waiting, "\(row.identifier): \(row.reason)",
                "it was due \(due[row.identifier]?.localText ?? "-")",
                next: "bgrun explain \(options) \(row.identifier)")
        }
    }

    /// Schedules without a request to continue them, though a host runs. With `submit: manual` this may be
    /// intended.
    private func resting() throws -> [DoctorFinding] {
        guard let store, try HostLock.holder(of: state.hostLock) != nil,
            (try? ask(ControlRequest(.watch))) != nil
        else { return [] }
        return try RestingSchedules.find(of: manifest, in: store)
            .filter { $0.submission == .launch }.prefix(5).map { declaration in
                .warn(
                    .waiting, "\(declaration.identifier): its schedule rests",
                    "its request was cancelled or never submitted; the schedule continues when "
                        + RestingSchedules.end(of: [declaration], isHosted: true),
                    next: "bgrun submit \(options) \(declaration.identifier)")
            }
    }

    /// Schedules without a further date and without a waiting request.
    private func dateless() throws -> [DoctorFinding] {
        let now = SystemClock().now.wall
        let store = self.store
        return try manifest.tasks.map(\.declaration).filter { declaration in
            guard let calendar = declaration.schedule?.calendar, calendar.next(after: now) == nil
            else { return false }
            return try store?.pendingCount(of: declaration.identifier) ?? 0 == 0
        }.prefix(5).map { declaration in
            .warn(
                .waiting, "\(declaration.identifier): its schedule has no date left",
                "it never launches the task again", next: "bgrun lint \(path)")
        }
    }

    /// Tasks whose last attempts failed or expired.
    private func failures() throws -> [DoctorFinding] {
        guard let store else { return [] }
        var findings: [DoctorFinding] = try openRows().map {
            .warn(
                .failures, "\($0.attempt.request.identifier): its host died while it ran",
                "the next host makes its request pending again", next: "bgrun run \(options)")
        }
        guard try !store.history(limit: 1).isEmpty else {
            return findings.isEmpty ? [.ok(.failures, "no attempt has failed")] : findings
        }
        for task in manifest.tasks.map(\.declaration.identifier) {
            let last = try store.history(identifier: task, limit: 3)
            guard let newest = last.first, newest.outcome != .completed else { continue }
            let bad = last.prefix { $0.outcome != .completed }.count
            let text =
                "\(task): \(newest.outcome.sentence)"
                + (newest.message.map { ": \(LogText.short($0))" } ?? "")
            let next = "bgrun history \(options) --output \(newest.attempt)"
            let meaning = try Self.meaning(newest, in: store)
            findings.append(
                bad >= 3 || last.count == bad && newest.outcome.isFailure == true
                    ? .fail(.failures, text, meaning, next: next)
                    : .warn(.failures, text, meaning, next: next))
        }
        return findings.isEmpty ? [.ok(.failures, "the last attempts completed")] : findings
    }

    private static func meaning(_ row: HistoryRow, in store: Store) throws -> String {
        switch row.outcome {
        case .completed: "all is well"
        case .failed: "the handler reported no success"
        case .expired(.time, _):
            "it ran longer than it was granted; see `expiration` and checkpoints"
        case .expired(let reason, _):
            if let resource = reason.shortage {
                "it had to wait for \(resource.name) until its time ended; \(resource.remedy)"
            } else {
                "its time was revoked (\(reason.name)); \(try sequel(row.identifier, in: store))"
            }
        case .crashed: "the handler crashed"
        case .limited: "it reached a limit of `confine`; raise it, or let the handler use less"
        case .exited: "the handler ended its process instead of reporting"
        case .refused: "the plugin was not loaded"
        case .interrupted: "the host died while it ran"
        }
    }

    /// The state of the request of an expired attempt.
    private static func sequel(_ identifier: String, in store: Store) throws -> String {
        if try store.running().contains(where: { $0.attempt.request.identifier == identifier }) {
            return "it runs again"
        }
        return try store.request(identifier) == nil
            ? "its request was given up" : "it is pending again"
    }

    /// Unknown readings that tasks need.
    private func device() throws -> DoctorFinding {
        let report = try DeviceSnapshot.take(stateDirectory: state.path)
        let known = report.state.stated(manifest.device)
        let needed = manifest.tasks.reduce(into: Conditions()) {
            $0.formUnion($1.declaration.requires)
        }
        let unknown = needed.intersection(known.unknownConditions).names
        guard unknown.isEmpty else {
            return .fail(
                .device, "unknown here: \(unknown.joined(separator: ", "))",
                "tasks that require it wait forever; state it under `device:`, or make it known",
                next: "bgrun device")
        }
        if known.lowPowerMode == .yes {
            return .warn(
                .device, "low power mode is on", "discretionary work waits for its end",
                next: "powerprofilesctl get")
        }
        return .ok(.device, "every reading that tasks require is known")
    }
}
