// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import FoundationEssentials
import Glibc

/// Keeps the state of simulated runs apart from an app's real requests: a file marks simulated ones.
enum SimulatedState {
    /// A private directory for one run, removed with `remove`.
    static func temporary(app: String) throws -> (StateDirectory, remove: () -> Void) {
        let path: String
        do throws(SystemFailure) {
            path = try TemporaryDirectory.make("bgrun-simulated")
        } catch {
            throw Exit.ioError.reporting("\(error); use --state")
        }
        let state = try StateDirectory(of: app, in: path)
        return (state, { try? FileManager.default.removeItem(atPath: path) })
    }

    static func isMarked(_ state: StateDirectory) -> Bool { access(mark(state), F_OK) == 0 }

    /// Now; for a simulated run, the time it has reached.
    static func now(of state: StateDirectory) -> WallTime {
        let machine = SystemClock().now.wall
        guard isMarked(state) else { return machine }
        return PastState.last(in: state.journalImages)?.wall ?? machine
    }

    private static func mark(_ state: StateDirectory) -> String { state.path + "/simulated" }

    /// Makes this process show dates in the zone of the scenario if `state` is one of a simulated run,
    /// as its log does.
    static func showZone(of state: StateDirectory) {
        // The file may belong to another user.
        guard let name = beginning(of: mark(state), limit: 64), (try? ZoneRules.named(name)) != nil
        else { return }
        setenv("TZ", name, 1)
        tzset()
    }

    /// Refuses to mix the two, and marks a directory of a simulated run, with the zone of the scenario.
    /// The caller holds its lock.
    static func check(_ state: StateDirectory, isSimulated: Bool, zone: String? = nil) throws {
        let mark = mark(state)
        let isMarked = isMarked(state)
        if isSimulated, !isMarked {
            guard access(state.database, F_OK) != 0 else {
                throw Exit.refused.reporting(
                    "\(state.path) holds real requests, which a simulated run must not touch; "
                        + "leave out --state, or name another")
            }
        }
        if isSimulated, !isMarked || zone != nil {
            let descriptor = open(mark, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw Exit.ioError.reporting("\(mark): \(String(cString: strerror(errno)))")
            }
            if let zone { write(descriptor, zone, zone.utf8.count) }
            close(descriptor)
        } else if !isSimulated, isMarked {
            throw Exit.refused.reporting(
                "\(state.path) holds the requests of a simulated run; run it with --device "
                    + "simulated, or name another --state")
        }
    }
}
