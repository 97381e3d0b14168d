// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunSystem
import CBGRunShims
import Glibc

/// The transfer service as a process in its own session, which continues when its parent dies.
package enum ServiceProcess {
    /// Starts `executable` (`bgrun-transferd`) for the app whose state is in `state`. It inherits the
    /// environment (proxies), no descriptor but `standardError`, and no signal mask.
    ///
    /// Returns its pid; the caller is its parent and reaps it. A second service of the same app ends at once with
    /// status 0. The caller connects with `ServiceConnection` once `StateDirectory.transferSocket` exists.
    /// - Parameter standardError: Receives the reason why it cannot run; nil: discarded.
    package static func start(
        executable: String, state: String, standardError: Int32? = nil
    ) throws(SystemFailure) -> pid_t {
        let nothing = try SystemFailure.check(
            "open /dev/null", open("/dev/null", O_RDWR | O_CLOEXEC))
        defer { close(nothing) }
        let arguments = CStrings([executable, state])
        let environment = CStrings(CStrings.environment)
        let descriptors = [nothing, nothing, standardError ?? nothing]
        let result = withExtendedLifetime((arguments, environment)) {
            bgrun_spawn_session(
                executable, arguments.pointers, environment.pointers, descriptors,
                Int32(descriptors.count))
        }
        guard result > 0 else { throw SystemFailure("starting \(executable)", code: -result) }
        return result
    }
}
