// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
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
        try ProgramStart.spawn(executable, [state], [nil, nil, standardError], startsSession: true)
    }
}
