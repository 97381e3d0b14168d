// SPDX-License-Identifier: Apache-2.0

/// A process may change limits and priorities only of itself, which calls name as 0; its PID fails, too, because
/// a filter does not know it. setpgid is not here: the kernel permits it only for a process and its children.
enum OtherProcessRules {
    static var all: [SyscallRule] {
        let first: [SystemCall] = [
            "prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam",
            "sched_setattr",
        ]
        // PRIO_PROCESS is 0, IOPRIO_WHO_PROCESS 1.
        let kinds: [(SystemCall, UInt64)] = [("setpriority", 0), ("ioprio_set", 1)]
        return first.map { SyscallRule($0, .argument(0, isNot: 0)) }
            + kinds.flatMap {
                [
                    SyscallRule($0, .argument(0, isNot: $1)),
                    SyscallRule($0, .argument(1, isNot: 0)),
                ]
            }
    }
}
