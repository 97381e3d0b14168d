// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage

/// What features ask of their host.
extension Host {
    /// Whether what is decided waits for another program that writes to the store.
    package var isStalled: Bool { stall.since != nil }

    package var isStarted: Bool { life.startedAt != nil }

    /// What ran when the last host died, until the engine has been told.
    package var interrupted: [InterruptedAttempt] { life.interrupted }

    /// The device as the engine was last told of it.
    package var lastDevice: DeviceState { device.last }

    /// An attempt of the engine's that runs.
    package func running(_ attempt: Int64) -> Attempt? { attempts.views[attempt]?.attempt }

    /// `overview` may be another than before.
    package func noteChange() { observer?.changed() }

    /// A feature did something that the engine was not told of.
    package func noteWork() { observer?.worked() }

    /// Writes a line of the log, and of the event table.
    package func announce(
        _ level: LogLine.Level, _ kind: String, of identifier: String = "", _ text: String
    ) {
        say(level, text)
        save([.event(EventLine(at: clock.now, kind: kind, identifier: identifier, text: text))])
    }
}
