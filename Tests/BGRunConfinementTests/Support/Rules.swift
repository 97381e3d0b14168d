// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import CSeccomp

extension SyscallFilter.Rules {
    static let open = SyscallFilter.Rules(internet: true, udp: true, protectsOthers: false)
    static let offline = SyscallFilter.Rules(internet: false, udp: false, protectsOthers: false)
    static let withoutUDP = SyscallFilter.Rules(internet: true, udp: false, protectsOthers: false)
    static let shared = SyscallFilter.Rules(internet: true, udp: true, protectsOthers: true)

    static let all = [false, true].flatMap { internet in
        [false, true].flatMap { udp in
            [false, true].map {
                SyscallFilter.Rules(internet: internet, udp: udp, protectsOthers: $0)
            }
        }
    }
}

/// The numbers of calls that libseccomp 2.5 does not know.
private let recent: [String: Int32] = ["fchmodat2": 452, "open_tree_attr": 467]

/// nil: this processor does not have the call.
func number(of call: String) -> UInt32? {
    UInt32(exactly: recent[call] ?? seccomp_syscall_resolve_name(call))
}
