// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunHost
import BGRunManifest
import BGRunPolicy

/// The end of a simulation: no more faults, and ideal conditions for handlers.
extension HostWorld {
    private static let ideal = DeviceState(
        externalPower: .yes, batteryPercent: 100, lowPowerMode: .no, network: .yes,
        networkMetered: .no, userIdle: .yes, storageLow: .no, thermal: .nominal, pressure: .no,
        gpu: .yes)

    /// Checks that all due requests run now.
    func rest() {
        note(60, "no more faults")
        isCalm = true
        disk.isBusy = false
        disk.isFull = false
        device = Self.ideal
        life?.accessesLeft = nil
        // A remaining sleep, shutdown or stall of the store ends by itself.
        settle()
        pass(95_000_000_000)
        guard violation == nil else { return }
        guard life != nil else { return violate(.progress, "no host runs after 95 s") }
        interact { host in
            host.deviceReads(Self.ideal)
            host.send(.refreshSwitch(.available, ticket: nil))
            host.send(.appOpened(ticket: nil))
            host.deviceResumed()
        }
        settle()
        pass(400_000_000_000)
        guard violation == nil else { return }
        guard let life, let host = life.host else {
            return violate(.progress, "no host runs without faults")
        }
        checkRest(host)
    }

    private func checkRest(_ host: BGRunHost.Host) {
        if host.waitsForStoreSince != nil {
            violate(.progress, "the host waits for a store that is free")
        }
        for request in host.engine.pendingRequests {
            guard let reason = host.engine.pendingReason(request.identifier, at: time.wall) else {
                continue
            }
            switch reason {
            case .notBefore(let date) where date > time.wall: continue
            case .factor(_, let until?) where until > time.wall: continue
            // Other attempts, or one of the same task, run first.
            case .overlap, .concurrency, .kindLimit, .groupLimit: continue
            default:
                return violate(
                    .progress,
                    "\(request) waits without faults: \(reason), since "
                        + "\(request.submitted.milliseconds), now \(time.wall.milliseconds)")
            }
        }
        for view in host.running
        where time.elapsed - view.attempt.launched.elapsed > 60_000_000_000 {
            violate(.progress, "attempt \(view.attempt.id) runs for over 60 s without faults")
        }
    }

    /// Ends the host, and replays its journal.
    func finish() {
        if let life, let host = life.host {
            life.isEnding = true
            startsNoHost = true
            host.shutDown()
            settle()
            pass(60_000_000_000)
            if self.life === life {
                violate(.progress, "the host did not end when it was asked to")
            }
        }
        guard violation == nil, let report = journal?.report() else { return }
        note(61, Int64(report.events), "\(report.events) events replayed")
        if let difference = report.difference {
            violate(
                .replay,
                "record \(difference.number): \(difference.event.map { "\($0)" } ?? "the snapshot") now "
                    + "leads to \(difference.actions)")
        } else if !report.isProof {
            violate(.replay, "\(report.files.map(\.reading.ending))")
        }
    }
}
