// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunPolicy

/// A simple model of `PendingRequests`: a list with linear search.
private struct NaivePendingRequests {
    private(set) var entries: [Entry] = []
    private var lastID = Int64.max

    struct Entry {
        var request: TaskRequest
        var requires: Conditions
        var isParked = false

        func isReady(at now: WallTime) -> Bool {
            !isParked && (request.earliest.map { $0 <= now } ?? true)
        }
    }

    var launchOrder: [TaskRequest] { entries.map(\.request).sorted { Self.comes($0, before: $1) } }

    mutating func insert(_ request: TaskRequest, requires: Conditions) {
        entries.append(Entry(request: request, requires: requires))
    }

    mutating func remove(_ identifier: String) -> TaskRequest? {
        guard let index = entries.firstIndex(where: { $0.request.identifier == identifier }) else {
            return nil
        }
        return entries.remove(at: index).request
    }

    mutating func setParked(_ identifier: String, _ isParked: Bool) {
        for index in entries.indices where entries[index].request.identifier == identifier {
            entries[index].isParked = isParked
        }
    }

    func ready(_ identifier: String, upTo lastID: Int64, at now: WallTime) -> TaskRequest? {
        entries.first {
            $0.request.identifier == identifier && $0.isReady(at: now) && $0.request.id <= lastID
        }?.request
    }

    func first(
        satisfying satisfied: Conditions, upTo lastID: Int64, at now: WallTime
    ) -> TaskRequest? {
        entries.filter {
            $0.isReady(at: now) && satisfied.isSuperset(of: $0.requires) && $0.request.id <= lastID
        }
        .map(\.request).min { Self.comes($0, before: $1) }
    }

    func nextDate(after now: WallTime) -> WallTime? {
        entries.filter { !$0.isParked }.compactMap(\.request.earliest).filter { $0 > now }.min()
    }

    private static func comes(_ left: TaskRequest, before right: TaskRequest) -> Bool {
        (date(left), left.id) < (date(right), right.id)
    }

    private static func date(_ request: TaskRequest) -> Int64 {
        max(request.earliest?.milliseconds ?? .min, request.submitted.milliseconds)
    }
}

extension PendingRequests {
    fileprivate mutating func insert(_ request: TaskRequest, requires: Conditions) {
        let slot = claimFree(request.identifier)
        let number = requestClass(RequestClass(conditions: requires))
        insert(request, at: slot, task: 0, requestClass: number)
    }

    fileprivate mutating func first(
        satisfying satisfied: Conditions, upTo lastID: Int64, at now: WallTime
    ) -> TaskRequest? {
        first(through: LaunchGate(conditions: satisfied, factors: .all, lastID: lastID), at: now)?
            .request
    }

    fileprivate func readyRequest(
        _ identifier: String, upTo lastID: Int64, at now: WallTime
    ) -> TaskRequest? {
        let gate = LaunchGate(conditions: [], factors: .all, lastID: lastID)
        return readyRequest(identifier, through: gate, at: now)?.request
    }

    fileprivate mutating func park(_ request: TaskRequest) { park(request.identifier) }
}

@Suite("Pending requests", .timeLimit(.minutes(5)))
struct PendingRequestsTests {
    @Test("match a list with linear search, while time passes", arguments: UInt64(1)...30)
    func model(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var pending = PendingRequests()
        var naive = NaivePendingRequests()
        var now = WallTime(milliseconds: 1_000)
        var nextID: Int64 = 1
        /// Removed requests that may be inserted again with their old id, like retries.
        var removed: [TaskRequest] = []
        for step in 0..<600 {
            let place: Comment = "seed \(seed), step \(step)"
            let identifier = "task\(Int.random(in: 0..<12, using: &random))"
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4 where pending.request(identifier) == nil:
                var request = TaskRequest(
                    id: nextID, identifier: identifier,
                    kind: TaskKind.allCases.randomElement(using: &random) ?? .push, submitted: now)
                if let old = removed.firstIndex(where: { $0.identifier == identifier }),
                    Bool.random(using: &random)
                {
                    request = removed.remove(at: old)
                } else {
                    nextID += 1
                }
                request.earliest =
                    Bool.random(using: &random)
                    ? nil
                    : now.advanced(by: .milliseconds(Int64.random(in: -20...60, using: &random)))
                let requires = Conditions(rawValue: UInt8.random(in: 0..<8, using: &random))
                pending.insert(request, requires: requires)
                naive.insert(request, requires: requires)
            case 4..<6:
                let expected = naive.remove(identifier)
                #expect(pending.remove(identifier) == expected, place)
                if let expected { removed.append(expected) }
            case 6:
                pending.release(at: now)
                if let request = pending.readyRequest(identifier, upTo: .max, at: now) {
                    #expect(naive.ready(identifier, upTo: .max, at: now) == request, place)
                    pending.park(request)
                    naive.setParked(identifier, true)
                }
            case 7:
                pending.unpark(identifier)
                naive.setParked(identifier, false)
            default:
                now = now.advanced(by: .milliseconds(Int64.random(in: 0...15, using: &random)))
            }
            pending.release(at: now)
            let satisfied = Conditions(rawValue: UInt8.random(in: 0..<8, using: &random))
            #expect(
                pending.first(satisfying: satisfied, upTo: .max, at: now)
                    == naive.first(satisfying: satisfied, upTo: .max, at: now), place)
            #expect(pending.nextDate == naive.nextDate(after: now), place)
            #expect(
                pending.readyRequest(identifier, upTo: .max, at: now)
                    == naive.ready(identifier, upTo: .max, at: now), place)
            #expect(pending.count == naive.entries.count, place)
            for kind in TaskKind.allCases {
                #expect(
                    pending.count(of: kind)
                        == naive.entries.count { $0.request.kind == kind }, place)
            }
        }
        #expect(pending.all == naive.launchOrder, "seed \(seed)")
    }

    @Test(
        "exclude requests before their date when the clock is set back", arguments: UInt64(1)...20)
    func clockSetBack(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var pending = PendingRequests()
        var naive = NaivePendingRequests()
        var now = WallTime(milliseconds: 1_000)
        for id in 1...40 {
            let request = TaskRequest(
                id: Int64(id), identifier: "task\(id)", kind: .processing, submitted: now,
                earliest: now.advanced(by: .milliseconds(Int64.random(in: 0...99, using: &random))))
            pending.insert(request, requires: [])
            naive.insert(request, requires: [])
        }
        for step in 0..<200 {
            now = now.advanced(by: .milliseconds(Int64.random(in: -60...60, using: &random)))
            pending.release(at: now)
            #expect(
                pending.first(satisfying: [], upTo: .max, at: now)
                    == naive.first(satisfying: [], upTo: .max, at: now),
                "seed \(seed), step \(step)")
        }
    }

    @Test("give at least one request if there are more than they examine")
    func mostLookedAt() {
        var pending = PendingRequests()
        func add(_ id: Int) {
            pending.insert(
                TaskRequest(
                    id: Int64(id), identifier: "task\(id)", kind: .continued,
                    submitted: WallTime(milliseconds: 1)), requires: [])
        }
        for id in 1...PendingRequests.mostLookedAt { add(id) }
        let noneOfAll = pending.first(of: .continued) { _ in false }
        #expect(noneOfAll == nil)
        add(PendingRequests.mostLookedAt + 1)
        var looked = 0
        let found = pending.first(of: .continued) { _ in
            looked += 1
            return false
        }
        #expect(found != nil && looked == PendingRequests.mostLookedAt)
        let other = pending.first(of: .processing) { _ in true }
        #expect(other == nil)
    }

    @Test("use no more places than the largest number of requests at a time")
    func places() {
        var pending = PendingRequests()
        var slots: Set<Int> = []
        for id in 1...20 {
            let request = TaskRequest(
                id: Int64(id), identifier: "task\(id)", kind: .push,
                submitted: WallTime(milliseconds: 1))
            let slot = pending.claimFree(request.identifier)
            slots.insert(slot)
            let number = pending.requestClass(RequestClass(conditions: []))
            pending.insert(request, at: slot, task: 0, requestClass: number)
            if id > 2 { pending.drop("task\(id - 2)") }
        }
        #expect(pending.count == 2 && slots.count == 3)
    }

    @Test("exclude requests above the last id, also the first ones")
    func lastID() {
        var pending = PendingRequests()
        let now = WallTime(milliseconds: 5)
        for (id, date) in [(Int64(1), Int64(4)), (2, 1), (3, 2)] {
            pending.insert(
                TaskRequest(
                    id: id, identifier: "task\(id)", kind: .push,
                    submitted: WallTime(milliseconds: date)), requires: [])
        }
        pending.release(at: now)
        #expect(pending.first(satisfying: [], upTo: 1, at: now)?.id == 1)
        pending.drop("task1")
        #expect(pending.first(satisfying: [], upTo: 1, at: now) == nil)
        #expect(pending.all.map(\.id) == [2, 3])
    }
}
