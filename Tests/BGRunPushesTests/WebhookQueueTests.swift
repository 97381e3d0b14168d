// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Foundation
import Glibc
import Testing

@testable import BGRunPushes

@Suite("Messages that other threads have read", .timeLimit(.minutes(1)))
struct WebhookQueueTests {
    private func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&state, 1, milliseconds) == 1
    }

    @Test("are taken once, each gets its answer, and then the loop is not woken again")
    func taken() async throws {
        let queue = try WebhookQueue()
        let (refusals, tell) = AsyncStream<PushRefusal?>.makeStream()
        for _ in 0..<3 {
            Thread.detachNewThread {
                guard case .failure(let refusal) = queue.deliver(.failure(.badToken)) else {
                    tell.yield(nil)
                    return
                }
                tell.yield(refusal)
            }
        }
        var count = 0
        while count < 3 {
            try #require(isReadable(queue.descriptor, within: 30_000))
            for delivery in queue.take() {
                count += 1
                delivery.give(.failure(.unavailable))
            }
        }
        var iterator = refusals.makeAsyncIterator()
        for _ in 0..<3 { #expect(await iterator.next() == .unavailable) }
        #expect(queue.take().isEmpty && !isReadable(queue.descriptor, within: 0))
    }
}
