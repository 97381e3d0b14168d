// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("Data of a confined handler", .timeLimit(.minutes(10)))
struct DataRuleTests {
    private static func confinement(
        _ profile: Confinement.Profile, _ change: (inout ConfinementKeys) -> Void = { _ in }
    ) -> Confinement {
        var keys = ConfinementKeys()
        keys.profile = profile
        change(&keys)
        return Confinement(keys)
    }

    @Test("may reach every task from a handler without confinement")
    func unconfined() {
        for target in [nil, Self.confinement(.standard), Self.confinement(.strict)] {
            #expect(DataRule.permits(from: nil, to: target))
        }
    }

    @Test("may reach a task with the same confinement only")
    func confined() {
        let profiles = [nil, Self.confinement(.standard), Self.confinement(.strict)]
        for source in profiles where source != nil {
            for target in profiles {
                #expect(DataRule.permits(from: source, to: target) == (source == target))
            }
        }
    }

    @Test("may not reach a task of the same profile with other keys, be they fewer or more")
    func keys() {
        let plain = Self.confinement(.strict)
        let changes: [(inout ConfinementKeys) -> Void] = [
            { $0.read = ["/a"] }, { $0.write = ["/a"] }, { $0.hide = ["/a"] },
            { $0.sockets = ["/a"] }, { $0.devices = ["/a"] }, { $0.network = .any },
            { $0.keptVariables = ["A"] }, { $0.enforcement = .prefer }, { $0.memory = 1 },
        ]
        for change in changes {
            let other = Self.confinement(.strict, change)
            #expect(!DataRule.permits(from: plain, to: other))
            #expect(!DataRule.permits(from: other, to: plain))
            #expect(DataRule.permits(from: other, to: Self.confinement(.strict, change)))
        }
    }
}
