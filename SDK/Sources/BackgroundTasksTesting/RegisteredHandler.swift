// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Glibc

/// The handler that the plugin has registered with the host.
///
/// `@unchecked Sendable`: the ABI permits calls of the functions on the host's threads, with the
/// given user data.
struct RegisteredHandler: @unchecked Sendable {
    let handler: bgrun_handler

    /// Runs an attempt on the calling thread and returns when it is over.
    func launch(_ attempt: SimulatedAttempt) {
        attempt.identifier.withCString { identifier in
            attempt.parameters.withCString { parameters in
                attempt.scheduler.manifestDirectory.withCString { directory in
                    var launch = bgrun_launch()
                    launch.struct_size = UInt32(MemoryLayout<bgrun_launch>.size)
                    launch.kind = attempt.kind.rawValue
                    launch.attempt = UInt32(attempt.number)
                    launch.identifier = identifier
                    launch.parameters_json = parameters
                    launch.manifest_directory = directory
                    let left = attempt.scheduler.clock.now.duration(to: attempt.deadline)
                    launch.deadline_boottime_ns = BootClock.now + left.nanoseconds
                    handler.launch(handler.user_data, attempt.handle, &launch)
                }
            }
        }
    }

    /// Notifies the plugin that time is revoked.
    func expire(
        _ attempt: SimulatedAttempt, _ reason: PluginExpiration.Reason, _ grace: Duration
    ) {
        "\(reason)".withCString { text in
            var expiration = bgrun_expiration()
            expiration.struct_size = UInt32(MemoryLayout<bgrun_expiration>.size)
            expiration.reason = reason.rawValue
            expiration.grace_ns = grace.nanoseconds
            expiration.deadline_boottime_ns = BootClock.now + grace.nanoseconds
            expiration.reason_text = text
            handler.expire?(handler.user_data, attempt.handle, &expiration)
        }
    }
}

private enum BootClock {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

extension Duration {
    /// Whole nanoseconds; the durations of a simulation are under 292 years.
    var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
