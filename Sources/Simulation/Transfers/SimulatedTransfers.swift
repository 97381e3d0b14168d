// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The transfer service of a simulated device, with the rules of the real one. Instants count from the scenario's
/// beginning.
struct SimulatedTransfers: Sendable {
    private let device: SimulatedDevice
    private let policy: TransferPolicy
    private let models: [TransferModel]
    private let seed: UInt64
    private(set) var tallies: [TransferTally]
    private var transfers: [SimulatedTransfer] = []
    private var budget = MeteredBudget()
    private var conditions = TransferConditions()
    private var next = TransferConditions()
    private var nextID: Int64 = 1
    /// The time up to which all transfers have been advanced.
    private var since: Int64 = 0

    init(_ models: [TransferModel], _ device: SimulatedDevice, policy: TransferPolicy, seed: UInt64)
    {
        self.device = device
        self.policy = policy
        self.models = models
        self.seed = seed
        tallies = models.map { TransferTally(name: $0.definition.name) }
    }

    // MARK: events

    /// Submits every transfer of the manifest that has neither been done nor submitted.
    mutating func submitAll(at now: Int64, wall: WallTime) {
        for index in models.indices
        where tallies[index].completed == 0 && !transfers.contains(where: { $0.model == index }) {
            submit(index, earliest: nil, at: now, wall: wall)
        }
    }

    /// Submits a transfer again, unless it is unfinished.
    mutating func submit(_ name: String, at now: Int64, wall: WallTime) {
        guard let index = models.firstIndex(where: { $0.definition.name == name }) else { return }
        if let place = transfers.firstIndex(where: { $0.model == index }) {
            // A transfer that waits for its next period begins now.
            guard transfers[place].transfer.progress.began == nil else { return }
            transfers.remove(at: place)
        }
        submit(index, earliest: nil, at: now, wall: wall)
    }

    private mutating func submit(_ index: Int, earliest: WallTime?, at now: Int64, wall: WallTime) {
        let definition = models[index].definition
        var request = definition.request(at: wall)
        request.earliest = earliest ?? request.earliest
        let transfer = Transfer(
            id: nextID, request: request, name: definition.name, submitted: wall)
        let wait = max(.zero, wall.interval(until: request.earliest ?? wall))
        let turn = tallies[index].submitted
        tallies[index].submitted += 1  // fits: events of one run
        nextID += 1
        transfers.append(
            SimulatedTransfer(
                model: index, transfer: transfer, due: now.saturatingAdding(wait.nanoseconds),
                random: SeededGenerator(seed: seed, stream: "transfer/\(definition.name)/\(turn)")))
    }

    /// A user removed the app: cancels everything (Apple).
    mutating func cancelAll() {
        // fits: events of one run
        for transfer in transfers { tallies[transfer.model].failed += 1 }
        transfers = []
    }

    /// Sets the conditions from the next `advance` on.
    mutating func note(_ conditions: TransferConditions) { next = conditions }

    // MARK: time

    /// The next change without further events; nil: none.
    func nextInstant(after now: Int64, wall: WallTime) -> Int64? {
        var next: Int64?
        func consider(_ instant: Int64?) {
            if let instant { next = min(next ?? .max, instant) }
        }
        func instant(of date: WallTime) -> Int64? {
            let left = wall.interval(until: date)
            return left.nanoseconds < .max / 2
                ? now.saturatingAdding(max(.milliseconds(1), left).nanoseconds) : nil
        }
        for running in transfers {
            if let began = running.transfer.progress.began {
                consider(instant(of: began.advanced(by: running.transfer.request.resourceTimeout)))
            }
            if let wait = running.wait {
                consider(wait.until.flatMap(instant))
            } else {
                let end = min(running.cutAt ?? .max, models[running.model].size)
                let left = end.saturatingSubtracting(running.transfer.progress.bytes)
                consider(running.share.nanoseconds(for: left).map { device.end(of: $0, from: now) })
                consider(budgetEnd(of: running, from: now))
            }
        }
        if transfers.contains(where: { $0.wait == nil }) {
            consider(device.bandwidth.nextChange(after: now))
        }
        return next
    }

    /// The time at which the budget on metered networks is used up at the current pace.
    private func budgetEnd(of running: SimulatedTransfer, from now: Int64) -> Int64? {
        guard conditions.metered == .yes, policy.meteredBudget > 0 else { return nil }
        let pace = transfers.filter { $0.wait == nil }.map(\.share).reduce(0, +)
        let left = policy.meteredBudget.saturatingSubtracting(budget.bytes)
        // If the budget is spent but delays no transfer, the period is over, and the next byte begins another.
        return pace.nanoseconds(for: left > 0 ? left : policy.meteredBudget)
            .map { device.end(of: $0, from: now) }
    }

    /// Advances each transfer by the time since the last call, ends finished ones, and lets others continue.
    ///
    /// - Returns: The tasks to submit.
    mutating func advance(to now: Int64, wall: WallTime) -> [String] {
        move(to: now, wall: wall)
        let launches = finish(at: now, wall: wall)
        conditions = next
        decide(at: now, wall: wall)
        return launches
    }

    private mutating func move(to now: Int64, wall: WallTime) {
        let time = device.work(from: since, to: now)
        for index in transfers.indices {
            let model = transfers[index].model
            if let wait = transfers[index].wait {
                // Waiting for a date does not count as blocked.
                if case .earliest = wait { continue }
                // fits: instants of one run
                tallies[model].blocked[wait.sentence, default: 0] += now - since
                continue
            }
            let progress = transfers[index].transfer.progress
            let end = min(transfers[index].cutAt ?? .max, models[model].size)
            let left = end.saturatingSubtracting(progress.bytes)
            let moved = min(left, transfers[index].share.bytes(in: time))
            transfers[index].transfer.progress.bytes += moved  // fits: at most `end`
            if moved > 0 { transfers[index].transfer.progress.failures = 0 }
            tallies[model].moved = tallies[model].moved.saturatingAdding(moved)
            guard conditions.metered == .yes else { continue }
            tallies[model].movedMetered = tallies[model].movedMetered.saturatingAdding(moved)
            budget.count(moved, policy, at: wall)
        }
        since = now
    }

    private mutating func finish(at now: Int64, wall: WallTime) -> [String] {
        var launches: [String] = []
        var index = 0
        while index < transfers.count {
            let running = transfers[index]
            let model = models[running.model]
            let bytes = running.transfer.progress.bytes
            if bytes >= model.size {
                tallies[running.model].completed += 1  // fits: events of one run
                tallies[running.model].lengths.append(now.saturatingSubtracting(running.due))
                launches += model.launches
                end(index, at: now, wall: wall)
                continue
            }
            let isCut = running.cutAt.map { bytes >= $0 } ?? false
            let continues = isCut ? cut(index, at: wall) : !hasTimedOut(running, at: wall)
            if continues {
                index += 1
            } else {
                tallies[running.model].failed += 1  // fits: events of one run
                launches += model.launchesOnFailure
                end(index, at: now, wall: wall)
            }
        }
        return launches
    }

    private func hasTimedOut(_ running: SimulatedTransfer, at wall: WallTime) -> Bool {
        guard let began = running.transfer.progress.began else { return false }
        return began.advanced(by: running.transfer.request.resourceTimeout) <= wall
    }

    private mutating func end(_ index: Int, at now: Int64, wall: WallTime) {
        let model = transfers.remove(at: index).model
        if let every = models[model].definition.every {
            submit(model, earliest: wall.advanced(by: every), at: now, wall: wall)
        }
    }

    /// Handles the interruption of a try; false: it was the last one.
    private mutating func cut(_ index: Int, at wall: WallTime) -> Bool {
        let model = models[transfers[index].model]
        tallies[transfers[index].model].cuts += 1  // fits: events of one run
        transfers[index].stop(resuming: model.canResume)
        transfers[index].transfer.progress.failures += 1  // fits: events of one run
        let verdict = TransferRetryRule.verdict(
            on: .connectionLost, failures: transfers[index].transfer.progress.failures,
            retry: model.definition.retry, network: conditions.network, at: wall)
        switch verdict {
        case .retry(let date), .waitForNetwork(let date):
            transfers[index].transfer.progress.retryAt = date
            return true
        case .fail: return false
        }
    }

    // MARK: active transfers

    private mutating func decide(at now: Int64, wall: WallTime) {
        for index in transfers.indices {
            let wait = TransferGate.wait(
                of: transfers[index].transfer, under: conditions, budget: budget, policy: policy,
                at: wall)
            transfers[index].wait = wait
            guard wait != nil, transfers[index].isMoving else { continue }
            let model = transfers[index].model
            tallies[model].pauses += 1  // fits: events of one run
            transfers[index].stop(resuming: models[model].canResume)
        }
        admit()
        for index in transfers.indices where transfers[index].wait == nil { begin(index, at: wall) }
        let moving = transfers.indices.filter { transfers[$0].wait == nil }
        let shares = device.bandwidth.value(at: now)
            .sharedFairly(among: moving.map { models[transfers[$0].model].definition.rate })
        for (index, share) in zip(moving, shares) { transfers[index].share = share }
    }

    /// Active transfers keep their slots; the others get the free ones.
    private mutating func admit() {
        func host(_ running: SimulatedTransfer) -> String {
            WebAddress(models[running.model].definition.url)?.host ?? ""
        }
        let free = transfers.filter { $0.wait == nil }
        let moving = Dictionary(free.filter(\.isMoving).map { (host($0), 1) }, uniquingKeysWith: +)
        let outcome = ConnectionRule.admit(
            free.filter { !$0.isMoving }.map {
                ConnectionRule.Candidate(
                    id: $0.transfer.id, host: host($0),
                    limit: models[$0.model].definition.connections)
            }, running: moving, policy: policy)
        for index in transfers.indices {
            guard let wait = outcome.waiting[transfers[index].transfer.id] else { continue }
            transfers[index].wait = wait
        }
    }

    /// Draws the random numbers of a try that begins.
    private mutating func begin(_ index: Int, at wall: WallTime) {
        guard !transfers[index].isMoving else { return }
        let model = models[transfers[index].model]
        let bytes = transfers[index].transfer.progress.bytes
        let isCut = transfers[index].random.unit() < model.cutProbability
        let part = transfers[index].random.unit()
        if isCut, model.size > bytes {
            let rest = Double(model.size.saturatingSubtracting(bytes)) * part
            transfers[index].cutAt = bytes.saturatingAdding(max(1, Int64(clamping: rest)))
        }
        transfers[index].transfer.progress.isRunning = true
        transfers[index].transfer.progress.began = transfers[index].transfer.progress.began ?? wall
    }

    /// The tallies at the end of the run.
    func finalTallies() -> [TransferTally] {
        var tallies = tallies
        for running in transfers where running.transfer.progress.began != nil {
            tallies[running.model].unfinished = TransferTally.Part(
                bytes: running.transfer.progress.bytes, size: models[running.model].size)
        }
        return tallies
    }
}
