// SPDX-License-Identifier: Apache-2.0

import BGRunEventLog
import BGRunEventLoop
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunStorage
import FoundationEssentials
import Glibc

/// Keeps the state of simulated runs apart from an app's real requests: a file says which is which.
enum SimulatedState {
    /// A directory of its own for one run, removed with `remove`.
    static func temporary(app: String) throws -> (StateDirectory, remove: () -> Void) {
        let path: String
        do throws(SystemFailure) {
            path = try TemporaryDirectory.make("bgrun-simulated")
        } catch {
            throw Exit.ioError.reporting("\(error); use --state")
        }
        let state = try StateDirectory(
            app: app, override: path, environment: [:], userID: Rights.startedAs)
        return (state, { try? FileManager.default.removeItem(atPath: path) })
    }

    static func isMarked(_ state: StateDirectory) -> Bool { access(mark(state), F_OK) == 0 }

    /// Now: of a simulated run where its time has come to.
    static func now(of state: StateDirectory) -> WallTime {
        let machine = SystemClock().now.wall
        guard isMarked(state) else { return machine }
        return PastState.last(in: state.journalImages)?.wall ?? machine
    }

    private static func mark(_ state: StateDirectory) -> String { state.path + "/simulated" }

    /// Has this process show dates as the clocks of the scenario did, where `state` is one of a
    /// simulated run: its log has them, too.
    static func showZone(of state: StateDirectory) {
        // The file may be another user's.
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
