// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// The interface of the host for features.
extension Host {
    /// Whether decisions wait for another program that writes to the store.
    package var isStalled: Bool { stall.since != nil }

    package var isStarted: Bool { life.startedAt != nil }

    /// The attempts that ran when the last host died, until the engine has received them.
    package var interrupted: [InterruptedAttempt] { life.interrupted }

    /// The state of the device that the engine received last.
    package var lastDevice: DeviceState { device.last }

    /// A running attempt of the engine.
    package func running(_ attempt: Int64) -> Attempt? { attempts.views[attempt]?.attempt }

    /// `overview` may have changed.
    package func noteChange() { observer?.changed() }

    /// A feature did something without an event for the engine.
    package func noteWork() { observer?.worked() }

    /// Writes a line to the log and to the event table.
    package func announce(
        _ level: LogLine.Level, _ kind: String, of identifier: String = "", _ text: String
    ) {
        say(level, text)
        save([.event(EventLine(at: clock.now, kind: kind, identifier: identifier, text: text))])
    }
}
