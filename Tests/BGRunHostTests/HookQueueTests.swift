// SPDX-License-Identifier: Apache-2.0

import BGRunStorage
import Testing

@testable import BGRunHooks
@testable import BGRunHost
@testable import BGRunManifest

@Suite("The queue of hooks", .timeLimit(.minutes(10)))
struct HookQueueTests {
    private let hook = HookDefinition(triggers: [.failed], action: .run(parameters: "{}"))
    private let event = HookEvent(
        event: .failed, app: "org.test.app", identifier: "org.test.a", at: 1, failures: 1,
        manifest: "/m.yaml")

    @Test("hooks above the limit are dropped and counted, and the next hook reports the number")
    func dropped() throws {
        var queue = HookQueue([])
        for _ in 0..<HookQueue.limit { #expect(queue.add(event, of: hook) != nil) }
        for _ in 0..<3 { #expect(queue.add(event, of: hook) == nil) }
        #expect(queue.dropped == 3)
        #expect(queue.firings.count == HookQueue.limit)
        let first = try #require(queue.firings.first)
        #expect(queue.remove(first.id) == .removeFiring(id: first.id))
        #expect(queue.add(event, of: hook) != nil)
        let told = queue.firings.suffix(2).map { HookEvent(json: $0.event)?.dropped }
        #expect(told == [nil, 3])
        #expect(queue.dropped == 0)
    }

    @Test("numbers continue after those of an earlier host")
    func numbers() {
        var queue = HookQueue([StoredFiring(id: 41, hook: "h", event: "{}")])
        #expect(
            queue.add(event, of: hook)
                == .putFiring(StoredFiring(id: 42, hook: hook.key, event: event.json)))
    }
}
