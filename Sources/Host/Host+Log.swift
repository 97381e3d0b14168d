// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor

extension Host {
    package func say(_ level: LogLine.Level, _ text: String) {
        log.write(LogLine(at: clock.now.wall, level: level, text: text))
    }

    /// The store has failed: logs the attempts, running or ended, whose end will not be stored.
    func sayUnstoredEnds() {
        var attempts = self.attempts.views.mapValues(\.attempt.request.identifier)
        attempts.merge(stall.round?.ends ?? life.unstoredEnds) { $1 }
        for (attempt, identifier) in attempts.sorted(by: { $0.key < $1.key }) {
            say(
                .error,
                "The end of attempt \(attempt) of \(identifier) is not stored; the next host records it "
                    + "as interrupted")
        }
    }

    /// The values that an app on Apple's platforms logs at launch, to explain later why a task did
    /// not run.
    var statusLine: String {
        let device = engine.deviceState
        let lowPower =
            switch device.lowPowerMode {
            case .yes: "on"
            case .no: "off"
            case .unknown: "unknown"
            }
        return "Background refresh is \(engine.appFacts.refreshSwitch.name), low power mode is "
            + "\(lowPower), thermal state is \(device.thermal?.name ?? "unknown")"
    }

    /// `--once`: logs requests that were due and did not run.
    func sayWhatWaits() {
        let now = clock.now.wall
        for request in engine.pendingRequests(first: 10) {
            switch engine.pendingReason(request.identifier, at: now) {
            case .notBefore, .notAdmitted, nil: continue
            default:
                let reason = engine.pendingSentence(request.identifier, at: now) ?? ""
                say(.info, "Not launched: \(request.identifier) \(reason)")
            }
        }
    }

    /// Writes the lines of an event in the order in which Apple's framework writes them: a handler is
    /// registered before its task starts. A task whose plugin is being loaded has not started yet.
    func write(_ lines: [LogLine]) {
        for line in lines {
            let attempt = line.attempt ?? 0
            guard line.subject?.kind == "starting" else {
                writeHeld(attempt)
                log.write(line)
                continue
            }
            switch supervisor.plugin(of: attempt) {
            case .loading: attempts.heldStarts[attempt] = line
            case .loaded(let plugin, let loaded):
                sayRegistered(plugin, loaded)
                log.write(line)
            case .none: log.write(line)
            }
        }
    }

    /// Writes the line of an attempt whose plugin has been loaded or has failed to load.
    func writeHeld(_ attempt: Int64) {
        guard var line = attempts.heldStarts.removeValue(forKey: attempt) else { return }
        line.at = clock.now.wall
        log.write(line)
    }

    /// Logs once per task that the plugin has a handler for it.
    package func sayRegistered(_ plugin: String, _ loaded: WorkerMessage.Loaded) {
        for task in manifest.tasks {
            guard case .handler(plugin, let name) = task.action else { continue }
            let declaration = task.declaration
            for identifier in loaded.registered(
                name, for: declaration.identifier, kind: declaration.kind.rawValue)
            where attempts.registered.count < HostLimits.registered
                && attempts.registered.insert(identifier).inserted
            {
                say(.info, Phrase.registered(identifier))
            }
        }
    }
}
