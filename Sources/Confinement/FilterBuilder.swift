// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CSeccomp
import Glibc

/// A filter that libseccomp builds, for the system calls of this processor. What has no rule is permitted.
final class FilterBuilder {
    private let context: scmp_filter_ctx

    init() throws(SyscallFilterFailure) {
        guard let context = seccomp_init(SCMP_ACT_ALLOW) else {
            throw SyscallFilterFailure(step: "seccomp_init", code: ENOMEM)
        }
        self.context = context
        // Calls of another architecture and of x32 do not exist.
        try Self.check(
            "SCMP_FLTATR_ACT_BADARCH",
            seccomp_attr_set(
                context, SCMP_FLTATR_ACT_BADARCH, bgrun_seccomp_errno(ENOSYS)))
        // A binary tree of the numbers.
        try Self.check(
            "SCMP_FLTATR_CTL_OPTIMIZE", seccomp_attr_set(context, SCMP_FLTATR_CTL_OPTIMIZE, 2))
    }

    deinit { seccomp_release(context) }

    func add(_ rule: SyscallRule) throws(SyscallFilterFailure) {
        guard let number = try rule.call.number() else { return }
        let conditions = rule.conditions.map {
            scmp_arg_cmp(
                arg: $0.argument, op: $0.comparison, datum_a: $0.first, datum_b: $0.second)
        }
        try Self.check(
            rule.call.name,
            seccomp_rule_add_exact_array(
                context, bgrun_seccomp_errno(rule.code), number,
                UInt32(conditions.count), conditions))
    }

    /// The program, as bytes of `sock_filter`.
    func program() throws(SyscallFilterFailure) -> [UInt8] {
        // libseccomp 2.5 exports only to a descriptor.
        let file = bgrun_seccomp_file()
        guard file >= 0 else { throw SyscallFilterFailure(step: "memfd_create", code: errno) }
        defer { close(file) }
        try Self.check("seccomp_export_bpf", seccomp_export_bpf(context, file))
        guard lseek(file, 0, SEEK_SET) == 0, let bytes = readAll(file, limit: 1 << 20) else {
            throw SyscallFilterFailure(step: "reading the program", code: errno)
        }
        return bytes
    }

    /// `result` is 0 or a negative errno value.
    private static func check(_ step: String, _ result: Int32) throws(SyscallFilterFailure) {
        if result < 0 { throw SyscallFilterFailure(step: step, code: -result) }
    }
}
