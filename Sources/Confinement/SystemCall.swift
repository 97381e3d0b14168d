// SPDX-License-Identifier: Apache-2.0

import CSeccomp

/// A system call of Linux.
struct SystemCall: Hashable, ExpressibleByStringLiteral {
    /// The highest number in Linux 6.18, of file_setattr. Numbers above 424 are the same on all processors.
    static let newest: UInt32 = 469

    let name: String
    /// That of a call which libseccomp 2.5 does not know.
    private let recent: Int32?

    init(stringLiteral name: String) {
        self.name = name
        recent = nil
    }

    init(_ name: String, number: Int32) {
        self.name = name
        recent = number
    }

    /// Its number on this processor; nil: it does not exist there.
    func number() throws(SyscallFilterFailure) -> Int32? {
        if let recent { return recent }
        let number = seccomp_syscall_resolve_name(name)
        guard number != __NR_SCMP_ERROR else {
            throw SyscallFilterFailure(step: "looking up \(name)", code: nil)
        }
        // libseccomp has other negative numbers for the calls of other processors.
        return number >= 0 ? number : nil
    }
}
