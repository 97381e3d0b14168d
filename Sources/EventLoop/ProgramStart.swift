// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CBGRunShims
import Glibc

/// Starts programs, and creates the pipes and sockets that connect them. The descriptors are close-on-exec;
/// the caller closes them.
package enum ProgramStart {
    /// Starts `executable` in a new process group, with `descriptors` from 0 on and no others; nil ones become
    /// `/dev/null`. The caller reaps it.
    /// - Parameters:
    ///   - name: The first of its arguments, as `ps` and `pgrep -f` show it; nil: `executable`.
    ///   - startsSession: Whether it gets a session instead of a group, and outlives this process's terminal.
    package static func spawn(
        _ executable: String, name: String? = nil, _ arguments: [String],
        environment: [String] = CStrings.environment, _ descriptors: [Int32?],
        startsSession: Bool = false
    ) throws(SystemFailure) -> pid_t {
        var null: Int32 = -1
        if descriptors.contains(nil) {
            null = try SystemFailure.check("open /dev/null", open("/dev/null", O_RDWR | O_CLOEXEC))
        }
        defer { if null >= 0 { close(null) } }
        let passed = descriptors.map { $0 ?? null }
        let words = CStrings([name ?? executable] + arguments)
        let variables = CStrings(environment)
        let pid = withExtendedLifetime((words, variables)) {
            let spawn = startsSession ? bgrun_spawn_session : bgrun_spawn
            return spawn(
                executable, words.pointers, variables.pointers, passed, Int32(passed.count))
        }
        guard pid > 0 else { throw SystemFailure("starting \(executable)", code: -pid) }
        return pid
    }

    package static func pipe() throws(SystemFailure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        try SystemFailure.check("pipe", Glibc.pipe(&ends))
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Two connected UNIX sockets.
    package static func socketPair(
        _ type: __socket_type = SOCK_STREAM
    ) throws(SystemFailure) -> (our: Int32, their: Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try SystemFailure.check("socketpair", socketpair(AF_UNIX, type, 0, &ends))
        return (ends[0], ends[1])
    }
}
