// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import Foundation
import GRDB
import Testing

@testable import BGRunStore

@Suite("Store crash safety")
struct StoreCrashTests {
    /// BGRUN_SEED repeats a run's choices; the moment of each kill stays the kernel's.
    @Test("every acknowledged request survives kill -9, round after round")
    func kill() throws {
        let seed =
            ProcessInfo.processInfo.environment["BGRUN_SEED"].flatMap(UInt64.init)
            ?? .random(in: 1...UInt64.max)
        print("crash test: BGRUN_SEED=\(seed)")
        let scratch = try Scratch()
        var acknowledged: Set<Int64> = []
        var random = seed
        for round in 1...20 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let probe = try Probe("submit", scratch.database, "\(random)")
            for _ in 0..<(random >> 33) % 60 {
                guard let id = probe.readLine().flatMap(Int64.init) else { break }
                acknowledged.insert(id)
            }
            probe.kill()
            while let id = probe.readLine().flatMap(Int64.init) { acknowledged.insert(id) }

            let found = try ids(in: scratch)
            #expect(acknowledged.subtracting(found) == [], "round \(round), BGRUN_SEED=\(seed)")
            #expect(try scratch.integrity() == "ok", "round \(round), BGRUN_SEED=\(seed)")
        }
        #expect(acknowledged.count > 100)
    }

    /// Where a request may be: pending, running or over; in one place only.
    private func ids(in scratch: Scratch) throws -> Set<Int64> {
        let store = try scratch.open()
        let all =
            try store.pending(limit: .max).map(\.id)
            + store.running().map(\.attempt.request.id)
            + store.history(limit: .max).map(\.request)
        let (restored, interrupted) = try store.restoration()
        #expect(Set(all).count == all.count)
        #expect(restored.nextRequestID > all.max() ?? 0)
        #expect(interrupted.count == (try store.running().count))
        #expect(try store.pendingCount() == restored.requests.count)
        return Set(all)
    }
}
