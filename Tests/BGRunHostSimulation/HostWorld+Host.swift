// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunHooks
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunPushes
import BGRunSimulation
import BGRunStorage
import BGRunSupervisor
import BGRunSystem
import BGRunTransfers
import BGRunTriggers
import BGRunVisits

/// Start, death and end of the host.
extension HostWorld {
    /// The interval at which the host retries a busy store, and a little more, in nanoseconds.
    private static let storePause: Int64 = 200_000_000

    func startHost() {
        guard life == nil, violation == nil, !startsNoHost else { return }
        lives += 1
        ledger.counts.hosts += 1
        let life = HostLife(lives, time, disk)
        note(10, Int64(lives), "host \(lives) starts")
        life.store.accessed = { [unowned life] moment throws(StoreError) in
            try life.access(moment)
        }
        life.store.waited = { [time] timeout in time.pass(timeout.nanoseconds) }
        life.store.committed = { [unowned self, unowned life] in
            committed($0, $1, by: life)
        }
        if !isCalm, random.once(in: 12) { planDeath(of: life) }
        self.life = life
        do {
            let host = try BGRunHost.Host(manifest, ports(life), ending: .never)
            life.host = host
            host.deviceReads(device)
            try host.start()
        } catch {
            note(12, "the host could not start: \(error)")
            life.isDead = true
        }
        settle()
    }

    /// Lets the host die at one of its next accesses to the store.
    func planDeath(of life: HostLife) {
        life.accessesLeft = 1 + random.below(random.once(in: 2) ? 4 : 25)
        life.diesAfterAccess = random.once(in: 2)
        life.endsWithPower = random.once(in: 3)
    }

    private func ports(_ life: HostLife) throws -> BGRunHost.Host.Ports {
        let log = SilentLog()
        log.heard = { [unowned self] line in
            note(13, "log: \(line.text)")
        }
        var ports = BGRunHost.Host.Ports(
            loop: life.loop, store: life.store, clock: life.clock, log: log,
            journal: try journal?.open(), workerExecutable: "/nonexistent",
            image: { _, name in .failure(PluginRefusal(message: name)) },
            random: stream(0, "engine"))
        ports.features = [
            Transfers.feature(), Hooks.feature(areRun: false), Triggers.paths(isOn: false),
            Triggers.sockets(isOn: false), Pushes.feature(isListening: false), Visits.feature(),
        ]
        ports.observer = self
        ports.leftovers = machine
        let supervisor = SimulatedSupervisor(environment(of: life))
        life.notices = supervisor
        ports.supervisor = supervisor
        return ports
    }

    private func environment(of life: HostLife) -> SimulatedSupervisor.Environment {
        SimulatedSupervisor.Environment(
            loop: life.loop, machine: machine, host: life.number,
            now: { [time] in time.elapsed },
            later: { [unowned self, weak life] delay, body in
                plan(after: delay) { if let life, !life.isDead { body() } }
            },
            laterAnyway: { [unowned self] delay, body in plan(after: delay, body) },
            signal: { [weak life] in life?.host?.childrenEnded() },
            stream: { [unowned self] attempt, name in stream(attempt, name) },
            isCalm: { [unowned self] in isCalm },
            isDead: { [weak life] in life?.isDead ?? true },
            note: { [unowned self, unowned life] call in take(call, of: life) },
            submission: { which in
                WorkerMessage.Request(
                    identifier: RandomManifest.identifiers[
                        which % RandomManifest.identifiers.count],
                    delayNanoseconds: Int64(which % 3) * 4_000_000_000)
            })
    }

    /// Handles the death of the host's process.
    func bury(_ life: HostLife) {
        guard self.life === life else { return }
        self.life = nil
        if life.endsWithPower { return cutPower() }
        ledger.counts.crashes += 1
        note(14, Int64(life.number), "host \(life.number) has died")
        machine.hostDied { process in
            var random = stream(process.attempt, "fate")
            switch isCalm ? 0 : random.below(10) {
            case 0..<6: return .ends
            case 6..<8: return .stays
            default: return .leavesStray
            }
        }
        planStart()
    }

    private func planStart() {
        plan(after: isCalm ? 0 : random.nanoseconds(0...20_000)) { [unowned self] in startHost() }
    }

    /// Cuts the power: only the disk survives, without some of the unsynced commits.
    func cutPower() {
        life?.isDead = true
        life = nil
        ledger.counts.powerCuts += 1
        boots += 1
        let unsynced = disk.unsyncedCommits
        let kept = random.once(in: 3) ? unsynced : random.below(unsynced + 1)
        ledger.counts.lostCommits += unsynced - kept
        note(15, Int64(kept), "the power is cut: \(kept) of \(unsynced) unsynced commits are kept")
        disk.cutPower(keeping: kept)
        disk.isBusy = false
        disk.isFull = false
        machine.restart()
        agenda.clear()
        time.reboot(after: .milliseconds(1_000 + Int64(random.below(60_000))))
        if let fault = ledger.fault(in: disk) { violate(.durable, fault) }
        planStart()
    }

    /// Handles a host that has ended by itself.
    func hostStopped(_ life: HostLife) {
        guard let host = life.host else { return bury(life) }
        host.endJournal()
        note(
            16, Int64(life.number),
            "host \(life.number) ends: \(String(describing: host.breakdown))")
        if let breakdown = host.breakdown {
            ledger.counts.breakdowns += 1
            switch breakdown {
            case .busy
            where disk.isBusy || time.elapsed - (storeFreed ?? .min / 2) < Self.storePause,
                .full where disk.isFull:
                break
            default: violate(.store, "it ended with \"\(breakdown.message)\"")
            }
        } else {
            if !life.isEnding { violate(.store, "it ended though nothing asked it to") }
            if let process = machine.processes.values.first(where: { $0.isEntered }) {
                violate(.processes, "attempt \(process.attempt) still runs after the orderly end")
            }
        }
        if !life.questions.isEmpty {
            violate(.answers, "the host ended with \(life.questions.count) unanswered questions")
        }
        life.isDead = true
        life.endsWithPower = false
        bury(life)
    }

    /// Checks a call to the supervisor.
    private func take(_ call: SimulatedSupervisor.Call, of life: HostLife) {
        switch call {
        case .launch(let attempt, let process, let lost):
            if lost > 100_000_000 {
                violate(.time, "attempt \(attempt) has lost \(lost / 1_000_000) ms of its time")
            }
            ledger.counts.attempts += 1
            note(20, attempt, "launch \(attempt)")
            let row = disk.current.running[attempt]
            if row?.worker.map({ $0.pid == process.pid }) != true {
                violate(
                    .launch,
                    "attempt \(attempt) is entered; stored is \(String(describing: row?.worker))")
            }
        case .expire(let attempt, let isAgain):
            note(21, attempt, "expire \(attempt)")
            if isAgain { violate(.ladder, "attempt \(attempt) was told twice") }
        case .terminate(let attempt, let mayBe):
            note(22, attempt, "SIGTERM to \(attempt)")
            if !mayBe { violate(.ladder, "SIGTERM to attempt \(attempt), which was not told") }
        case .kill(let attempt, let isTerminated):
            note(23, attempt, "SIGKILL to \(attempt)")
            if !isTerminated, life.host?.breakdown == nil, !life.isKilling {
                violate(.ladder, "SIGKILL to attempt \(attempt) without SIGTERM")
            }
        case .fault(let count): ledger.counts[keyPath: count] += 1
        case .answered(let attempt, let call, let status):
            note(24, attempt, Int64(status), "attempt \(attempt) asked \(call): \(status)")
            guard status == 0 else { return }
            answered(call, of: attempt, life)
        }
    }

    /// Checks a successful call of a handler: its effect must be on the disk.
    private func answered(_ call: WorkerMessage.Call, of attempt: Int64, _ life: HostLife) {
        switch call {
        case .submit(let request):
            guard let host = life.host else { return }
            let id =
                host.engine.pendingRequest(request.identifier)?.id
                ?? host.engine.runningAttempt(request.identifier)?.request.id
            if let id { acknowledge(id) }
        case .putCheckpoint(_, let data):
            guard let row = disk.current.running[attempt] else { return }
            if disk.synced.checkpoints[row.attempt.request.identifier]?.data != data {
                violate(.durable, "the checkpoint of attempt \(attempt) is answered and not synced")
            }
        default: break
        }
    }

    /// Records a request that was accepted to its client.
    func acknowledge(_ request: Int64) {
        guard disk.synced.accounts(for: request) else {
            return violate(.durable, "request \(request) is answered and not synced")
        }
        ledger.acknowledge(request)
    }
}

extension HostWorld: HostObserver {
    func decided(_ event: Event, _ actions: [Action], at now: Instant) {
        note(11, Int64(actions.count), "\(event) -> \(actions)")
    }
}
