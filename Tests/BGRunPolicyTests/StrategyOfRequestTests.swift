// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The strategy of a request", .timeLimit(.minutes(5)))
struct StrategyOfRequestTests {
    private static let export = TaskDeclaration.task("export", kind: .continued, requires: .network)

    private func submit(_ world: inout World, isOnlyImmediate: Bool) {
        world.handle(
            .submit(
                Submission(identifier: "export", isOnlyImmediate: isOnlyImmediate), ticket: 7))
    }

    @Test("a request that must start at once is refused if it cannot, although its task queues")
    func refused() {
        var world = World([Self.export])
        submit(&world, isOnlyImmediate: true)
        guard case .refused(.notImmediately) = world.reply else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
        submit(&world, isOnlyImmediate: false)
        guard case .accepted = world.reply else {
            Issue.record("\(String(describing: world.reply))")
            return
        }
    }

    @Test("a launched request that the system revokes does not wait to start again")
    func notRequeued() {
        for isOnlyImmediate in [true, false] {
            let aftermath = Self.export.aftermath(
                of: .expired(.networkLost, reported: nil), failures: 0,
                launched: WallTime(milliseconds: 0), isOnlyImmediate: isOnlyImmediate,
                now: WallTime(milliseconds: 1))
            #expect(aftermath == (isOnlyImmediate ? .gaveUp(next: nil) : .requeue))
        }
    }

    @Test(
        "conditions and strategy share a byte and are read back", arguments: UInt8.min ... .max)
    func flags(byte: UInt8) {
        let flags = RequestFlags(byte: byte)
        #expect(flags.byte == byte)
        #expect(flags.requires.rawValue == byte & 0x7f)
        #expect(flags.isOnlyImmediate == (byte >= 0x80))
    }

    @Test("a task accepts requests of its own kind; pushes and transfers match any kind")
    func kinds() {
        #expect(TaskKind.appRefresh.accepts(requestsOf: .appRefresh))
        #expect(!TaskKind.appRefresh.accepts(requestsOf: .processing))
        #expect(!TaskKind.continued.accepts(requestsOf: .processing))
        #expect(TaskKind.transfer.accepts(requestsOf: .processing))
        #expect(TaskKind.push.accepts(requestsOf: .appRefresh))
    }
}
