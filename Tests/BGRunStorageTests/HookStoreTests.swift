// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunStorage
import Testing

@Suite("Stored hooks", .timeLimit(.minutes(10)))
struct HookStoreTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("firings are read in order until they are removed")
    func firings() throws {
        let firings = (1...3).map { StoredFiring(id: $0, hook: "h\($0)", event: "{\"é\":1}") }
        try scratch.open().apply(firings.reversed().map { .putFiring($0) }, durability: .normal)
        let store = try scratch.open()
        #expect(try store.firings() == firings)
        try store.apply([.removeFiring(id: 2), .removeFiring(id: 9)], durability: .normal)
        #expect(try scratch.open().firings().map(\.id) == [1, 3])
    }

    @Test("the state of hooks is separate from the facts of the app")
    func remembered() throws {
        let store = try scratch.open()
        try store.apply(
            [
                .rememberOfHooks(name: "failures:a", value: 1),
                .rememberOfHooks(name: "failures:a", value: 2),
                .rememberOfHooks(name: "fired:h:a", value: 3),
                .rememberOfHooks(name: "gone", value: 4),
                .rememberOfHooks(name: "gone", value: nil),
                .rememberOfHooks(name: "never", value: nil),
            ], durability: .normal)
        #expect(
            try scratch.open().rememberedOfHooks() == ["failures:a": 2, "fired:h:a": 3])
        #expect(try store.restoration().0.nextRequestID == 1)
    }

    @Test("the last lines of an attempt are in the order in which it wrote them")
    func lastOutput() throws {
        let store = try scratch.open()
        try store.apply(
            (1...5).map {
                .output(
                    attempt: 7, .standardOutput, text: "line \($0)",
                    at: WallTime(milliseconds: 1))
            }, durability: .normal)
        #expect(try store.lastOutput(attempt: 7, limit: 2) == ["line 4", "line 5"])
        #expect(try store.lastOutput(attempt: 7, limit: 9).count == 5)
        #expect(try store.lastOutput(attempt: 8, limit: 9).isEmpty)
    }
}
