// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import CSeccomp
import Glibc
import Testing

@Suite("The program of a filter", .timeLimit(.minutes(10)))
struct SyscallFilterTests {
    @Test(
        "has at most 4096 instructions, and the same bytes each time",
        arguments: SyscallFilter.Rules.all)
    func size(rules: SyscallFilter.Rules) throws {
        let bytes = try SyscallFilter(rules).program()
        #expect(bytes.count % MemoryLayout<sock_filter>.size == 0)
        #expect(bytes.count / MemoryLayout<sock_filter>.size <= 4_096)
        #expect(try SyscallFilter(rules).program() == bytes)
    }

    @Test(
        "denies the listed numbers, those above 469, and none between",
        arguments: SyscallFilter.Rules.all)
    func numbers(rules: SyscallFilter.Rules) throws {
        let program = FilterProgram(try SyscallFilter(rules).program())
        let names = DeniedCallTests.notPermitted + DeniedCallTests.missing
        // Without arguments: no family of sockets, and the I/O priority of nothing.
        let denied = Set(names.compactMap(number(of:)) + [number(of: "socket")])
            .union(rules.protectsOthers ? [number(of: "ioprio_set")] : [])
        for number in UInt32(0)..<1_200 {
            let expected = denied.contains(number) || number > 469
            #expect(
                (program.code(of: number, []) != nil) == expected, "\(number) with \(rules)")
        }
    }

    @Test("a call of another architecture does not exist")
    func architectures() throws {
        let program = FilterProgram(try SyscallFilter(.open).program())
        // i386, ARM, and x86_64 or aarch64.
        for architecture in [0x4000_0003, 0x4000_0028, 0xC000_003E, 0xC000_00B7] as [UInt32]
        where architecture != seccomp_arch_native() {
            #expect(program.code(of: 39, [], architecture: architecture) == ENOSYS)
        }
    }

    @Test("personality has exactly three values, whatever the upper half of the argument")
    func personality() throws {
        let program = FilterProgram(try SyscallFilter(.open).program())
        let call = try #require(number(of: "personality"))
        var values: [UInt32] = Array(0..<1_024)
        for bit in 0..<32 as Range<UInt32> {
            values += [1 << bit, 1 << bit | 8, ~(1 << bit), 1 << bit | 1 << 31]
        }
        for value in values + [.max] {
            let code = [0, 8, UInt32.max].contains(value) ? nil : EPERM
            #expect(program.code(of: call, [UInt64(value)]) == code, "\(value)")
            #expect(program.code(of: call, [UInt64(value) | 5 << 40]) == code, "\(value)")
        }
    }
}
