// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunPolicy
import BGRunSystem

extension HostBench {
    /// Runs the loop in real time until the supervisor receives the call; nil after 30 seconds.
    func wait(
        until isAwaited: @escaping (SimulatedSupervisor.Call) -> Bool
    ) throws -> SimulatedSupervisor.Call? {
        var found: SimulatedSupervisor.Call?
        supervisor.looking = { [loop] call in
            guard found == nil, isAwaited(call) else { return }
            found = call
            loop.stop()
        }
        defer { supervisor.looking = { _ in } }
        let timeout = try LoopTimer(loop) { [loop] in loop.stop() }
        timeout.set(elapsed: SystemClock().now.elapsed + 30_000_000_000)
        loop.run()
        return found
    }

    /// Runs the loop until `isDone` returns true; false after 30 seconds.
    func turn(until isDone: () throws -> Bool) rethrows -> Bool {
        let end = SystemClock().now.elapsed + Interval.seconds(30).nanoseconds
        while try !isDone() {
            guard SystemClock().now.elapsed < end else { return false }
            loop.inNextRound { [loop] in loop.stop() }
            loop.run()
        }
        return true
    }
}
