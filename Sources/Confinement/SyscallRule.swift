// SPDX-License-Identifier: Apache-2.0

import CSeccomp
import Glibc

/// A system call that fails if all conditions hold.
struct SyscallRule {
    let call: SystemCall
    let conditions: [Condition]
    /// The errno value of the failed call.
    let code: Int32

    init(_ call: SystemCall, _ conditions: Condition..., code: Int32 = EPERM) {
        self.call = call
        self.conditions = conditions
        self.code = code
    }

    /// A test of one argument. Unless it has a mask it compares 64 bits, also of an argument of which the kernel
    /// reads 32: such a condition must hold for every value with other upper bits.
    struct Condition {
        let argument: UInt32
        let comparison: scmp_compare
        let first: UInt64
        let second: UInt64

        private init(
            _ argument: UInt32, _ comparison: scmp_compare, _ first: UInt64, _ second: UInt64 = 0
        ) {
            self.argument = argument
            self.comparison = comparison
            self.first = first
            self.second = second
        }

        static func argument(_ index: UInt32, is value: UInt64) -> Condition {
            Condition(index, SCMP_CMP_EQ, value)
        }

        static func argument(_ index: UInt32, isNot value: UInt64) -> Condition {
            Condition(index, SCMP_CMP_NE, value)
        }

        static func argument(_ index: UInt32, below value: UInt64) -> Condition {
            Condition(index, SCMP_CMP_LT, value)
        }

        static func argument(_ index: UInt32, above value: UInt64) -> Condition {
            Condition(index, SCMP_CMP_GT, value)
        }

        static func argument(_ index: UInt32, masked mask: UInt64, is value: UInt64) -> Condition {
            Condition(index, SCMP_CMP_MASKED_EQ, mask, value)
        }

        /// All of these bits are 1.
        static func argument(_ index: UInt32, has bits: UInt64) -> Condition {
            argument(index, masked: bits, is: bits)
        }
    }
}
