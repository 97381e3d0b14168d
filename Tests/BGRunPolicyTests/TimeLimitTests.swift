// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Time limits of Apple's kinds", .timeLimit(.minutes(5)))
struct TimeLimitTests {
    @Test(
        "an attempt has the time of its kind in the profile `apple`, and is then expired",
        arguments: [
            (TaskKind.appRefresh, Interval.seconds(30)), (.push, .seconds(30)),
            (.processing, .minutes(10)),
        ])
    func limit(_ kind: TaskKind, _ limit: Interval) {
        var world = World([.task("a", kind: kind)])
        world.submit("a")
        #expect(world.isRunning("a"))
        world.handle(.timer, after: Interval(nanoseconds: limit.nanoseconds - 1))
        #expect(!world.actions.contains(where: isExpiration))
        world.handle(.timer, after: Interval(nanoseconds: 1))
        #expect(world.actions.contains(where: isExpiration))
    }

    private func isExpiration(_ action: Action) -> Bool {
        if case .expire(_, .time, _, _) = action { true } else { false }
    }
}
