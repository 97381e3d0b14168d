// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunDevice
import BGRunEventLog
import BGRunManifest
import BGRunPolicy
import BGRunStorage

/// Reports the activity of an app's tasks from its store and its journal, both read-only.
struct AppReport {
    let manifest: Manifest
    let state: StateDirectory
    let since: WallTime
    let until: WallTime

    /// The report about the tasks of `identifiers`; empty: all tasks.
    func make(_ identifiers: [String]) throws -> SpanReport {
        if let store = try state.storeToRead() { return try report(store, identifiers) }
        return ReportBuilder(
            app: manifest.app, since: since, until: until,
            subjects: chosen(identifiers).map {
                ReportBuilder.Subject(identifier: $0.identifier, kind: $0.kind, hasNeverRun: true)
            }
        ).report()
    }

    private func report(_ store: Store, _ identifiers: [String]) throws -> SpanReport {
        let (restored, interrupted) = try store.restoration()
        let requests = restored.requests + interrupted.map(\.request)
        let waits = try waiting(restored, interrupted.map(\.request))
        let chosen = chosen(identifiers)
        let declared = IdentifierRule(permitting: chosen.map(\.identifier))
        var builder = ReportBuilder(
            app: manifest.app, since: since, until: until,
            subjects: try chosen.map { try subject($0, declared, requests, waits, store) })
        var seen: Set<String> = []
        let isOne = identifiers.count == 1 && !identifiers[0].hasSuffix(".*")
        let filter = HistoryFilter(
            identifier: isOne ? identifiers[0] : nil, since: since, until: until)
        let isChosen = { identifiers.isEmpty || declared.permits($0) || identifiers.contains($0) }
        try store.visitHistory(filter) { row in
            guard isChosen(row.identifier) else { return }
            seen.insert(row.identifier)
            builder.add(Run(row))
        }
        for missed in try store.missedDates(since: since, until: until)
        where isChosen(missed.identifier) {
            builder.add(missed: missed.count, of: missed.identifier, last: missed.last)
        }
        addWaits(to: &builder, of: seen.union(requests.map(\.identifier)).filter(isChosen))
        return builder.report()
    }

    /// The tasks, each once, in the order of the manifest; an identifier of a wildcard counts as a
    /// separate task.
    private func chosen(_ identifiers: [String]) -> [TaskDeclaration] {
        let all = manifest.tasks.map(\.declaration)
        guard !identifiers.isEmpty else { return all }
        let rule = IdentifierRule(permitting: all.map(\.identifier))
        let wanted = Dictionary(grouping: Set(identifiers)) { rule.pattern(for: $0) ?? $0 }
        return all.flatMap { declaration in
            (wanted[declaration.identifier] ?? []).sorted().map { identifier in
                var own = declaration
                own.identifier = identifier
                return own
            }
        }
    }

    /// The waiting requests with their reasons, from the host, or else from an engine in the initial
    /// state of a host.
    private func waiting(
        _ restored: Engine.Restoration, _ interrupted: [TaskRequest]
    ) throws -> [(request: TaskRequest, reason: String)] {
        let client = ControlClient(path: state.controlSocket, timeout: .seconds(3))
        let pages = Result { try PendingPages.read(first: .max, ask: client.ask) }
        if case .failure(let error as ControlClient.TooManyConnections) = pages {
            throw Exit.unavailable.reporting(error.message)
        }
        if let found = try? pages.get() {
            let reasons = Dictionary(found.rows.map { ($0.identifier, $0.reason) }) {
                first, _ in first
            }
            return restored.requests.map { ($0, reasons[$0.identifier] ?? "it runs") }
        }
        let device =
            SimulatedState.isMarked(state)
            ? manifest.device
            : try DeviceSnapshot.take(stateDirectory: state.path).state.stated(manifest.device)
        let engine = Engine(manifest.engineConfiguration, device: device, restoring: restored)
        let hasHost = try state.hasHost
        let gone = hasHost ? "; the host does not answer" : "; no host runs"
        return restored.requests.map {
            let pending = AppOverview.Pending($0, engine, until)
            guard engine.pendingReason($0.identifier, at: until) == .eligible else {
                return ($0, pending.reason + gone)
            }
            // A request without other obstacles waits only for a host.
            return ($0, hasHost ? "eligible\(gone)" : pending.reason)
        } + interrupted.map { ($0, AppOverview.Pending.interrupted($0, at: until)) }
    }

    private func subject(
        _ task: TaskDeclaration, _ declared: IdentifierRule, _ requests: [TaskRequest],
        _ waits: [(request: TaskRequest, reason: String)], _ store: Store
    ) throws(StoreError) -> ReportBuilder.Subject {
        let isOwn = { declared.pattern(for: $0) == task.identifier }
        let own = requests.filter { isOwn($0.identifier) }
        let first = try store.firstSubmitted(task.identifier)
        let known = ([first].compactMap { $0 } + own.map(\.submitted)).min()
        let next = waits.filter { isOwn($0.request.identifier) }
            .min { $0.request.due < $1.request.due }
        return ReportBuilder.Subject(
            identifier: task.identifier, kind: task.kind, knownSince: known,
            // For a wildcard, the store would only have its own name.
            hasNeverRun: first == nil && !task.identifier.hasSuffix("*"),
            waiting: next.map { request, reason in
                TaskReport.Waiting(submitted: request.submitted, due: request.due, reason: reason)
            }, timeLimit: task.timeLimit ?? manifest.policy.timeLimits[task.kind],
            requiresPower: task.requires.contains(.externalPower)
                || own.contains { $0.requires.contains(.externalPower) },
            occurrences: task.occurrences)
    }

    private func addWaits(to builder: inout ReportBuilder, of identifiers: Set<String>) {
        // Samples the newest of very many.
        let looked = identifiers.sorted().prefix(200)
        let isRunning = (try? state.hasHost) ?? false
        let blocked = BlockedTime(
            of: Array(looked), in: state.journalImages, since: since, until: until,
            isHostRunning: isRunning)
        builder.journalBegins = blocked.begins
        builder.journalGap =
            blocked.gap
            ?? (identifiers.count > looked.count
                ? "only the first \(looked.count) identifiers were examined" : nil)
        for (identifier, waits) in blocked.waits {
            for (word, length) in waits { builder.add(wait: length, of: identifier, by: word) }
        }
    }
}

extension TaskDeclaration {
    /// The number of a schedule's occurrences between two dates; nil without a schedule.
    var occurrences: @Sendable (WallTime, WallTime) -> Int? {
        let schedule = schedule
        return { from, to in
            switch schedule {
            case .every(let period, _):
                let period = max(1, period.nanoseconds / 1_000_000)
                return Int(max(0, to.milliseconds(since: from)) / period)
            case .calendar(let calendar): return calendar.count(from: from, to: to)
            case nil: return nil
            }
        }
    }
}

extension CalendarSchedule {
    /// Its dates after `from` up to `to`; counts at most the minutes of a year.
    fileprivate func count(from: WallTime, to: WallTime) -> Int {
        var count = 0
        var date = from
        while count < 600_000, let next = next(after: date), next <= to {
            count += 1
            date = next
        }
        return count
    }
}

extension TaskRequest {
    /// The earliest launch.
    var due: WallTime { max(submitted, earliest ?? submitted) }
}

extension Run {
    init(_ row: HistoryRow) {
        self.init(
            attempt: row.attempt, identifier: row.identifier, kind: row.kind, request: row.request,
            due: max(row.submitted, row.earliest ?? row.submitted), launched: row.launched,
            ended: row.ended, duration: row.duration, outcome: row.outcome, result: row.result,
            processor: row.processor)
    }
}
