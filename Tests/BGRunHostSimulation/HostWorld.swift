// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunSimulation
import BGRunSystem

/// A machine with one app, its host, its disk and its workers, in simulated time. One seed determines all
/// random events.
final class HostWorld {
    let seed: UInt64
    var random: SeededGenerator
    let time = SimulatedTime()
    let disk = SimulatedDisk()
    let machine = SimulatedMachine()
    /// Ordered by active time.
    var agenda = Agenda()
    var manifest: Manifest
    /// The running host; nil: no host runs.
    var life: HostLife?
    /// The number of started hosts.
    var lives = 0
    /// The number of restarts of the machine.
    var boots = 0
    var device = DeviceState()
    /// Whether faults have ended: handlers complete.
    var isCalm = false
    /// Whether the simulation ends: no further host is started.
    var startsNoHost = false
    var ledger = Ledger()
    var trace: Trace
    private(set) var violation: Violation?
    /// When another program last released the store, on the elapsed clock.
    var storeFreed: Int64?
    /// The frequency of faults, from 0 to 4.
    let severity: Int
    /// The directory of the journal; nil: no journal is written.
    let journal: JournalPlace?

    init(seed: UInt64, isTracing: Bool, journal: JournalPlace?) throws {
        self.seed = seed
        self.journal = journal
        random = SeededGenerator(seed: seed, stream: "world")
        severity = [0, 1, 2, 4][random.below(4)]
        trace = Trace(isKept: isTracing)
        var manifests = SeededGenerator(seed: seed, stream: "manifest")
        let text = RandomManifest.text(&manifests)
        manifest = try RandomManifest.read(text)
        trace.note(at: time.now, 1, 0, 0, "seed \(seed)\n\(text)")
        disk.freed = { [unowned self] in storeFreed = time.elapsed }
        disk.refusedAsFull = { [unowned self] in ledger.counts.fullWrites += 1 }
    }

    /// Records the first violation; later ones are its consequences.
    func violate(_ invariant: Invariant, _ detail: String) {
        guard violation == nil else { return }
        violation = Violation(seed: seed, invariant: invariant, detail: detail)
        note(2, "VIOLATION: \(invariant.rawValue): \(detail)")
    }

    /// Records an event; the numbers count in the digest, the text does not.
    func note(_ kind: UInt64, _ a: Int64, _ b: Int64, _ text: @autoclosure () -> String) {
        trace.note(at: time.now, kind, a, b, text())
    }

    func note(_ kind: UInt64, _ a: Int64, _ text: @autoclosure () -> String) {
        trace.note(at: time.now, kind, a, 0, text())
    }

    func note(_ kind: UInt64, _ text: @autoclosure () -> String) {
        trace.note(at: time.now, kind, 0, 0, text())
    }

    /// A stream of random numbers for an attempt of the current host.
    func stream(_ attempt: Int64, _ name: String) -> SeededGenerator {
        SeededGenerator(
            seed: seed &+ UInt64(bitPattern: attempt) &* 0x9E37_79B9_7F4A_7C15
                &+ UInt64(truncatingIfNeeded: lives) << 48, stream: name)
    }

    func run(steps: Int) {
        startHost()
        for _ in 0..<steps where violation == nil {
            perform()
            settle()
            passTime()
        }
        if violation == nil { rest() }
        if violation == nil { finish() }
    }

    private func passTime() {
        switch random.below(10) {
        case 0..<2: break
        case 2..<5: pass(random.nanoseconds(1...1_000))
        case 5..<9: pass(random.nanoseconds(1_000...10_000))
        default: pass(random.nanoseconds(10_000...90_000))
        }
    }

    /// Advances the time, and runs due actions.
    func pass(_ nanoseconds: Int64) {
        let boot = boots
        let end = time.elapsed + nanoseconds
        var happenings = 0
        while violation == nil, boots == boot {
            let planned = agenda.next.map { time.elapsed + max(0, $0 - time.active) }
            let due = life?.clock.nextDue.map { max($0, time.elapsed) }
            guard let next = [planned, due].compactMap(\.self).min(), next <= end else { break }
            if next > time.elapsed {
                time.pass(next - time.elapsed)
                happenings = 0
            }
            happenings += 1
            guard happenings < 3_000 else {
                return violate(.progress, "3000 things have happened at one instant")
            }
            if let due, due <= planned ?? .max {
                _ = life?.clock.fireDue()
            } else {
                agenda.takeNext()?()
            }
            settle()
        }
        if boots == boot, end > time.elapsed { time.pass(end - time.elapsed) }
    }

    /// Runs the rounds of the host's loop until it would block, then checks the invariants.
    func settle() {
        guard let life else { return }
        if !life.isDead {
            life.isIdle = false
            life.loop.run()
        }
        if life.isDead { return bury(life) }
        guard life.isIdle else { return hostStopped(life) }
        check(life)
    }

    func plan(after nanoseconds: Int64, _ body: @escaping () -> Void) {
        agenda.plan(at: time.active + nanoseconds, body)
    }
}
