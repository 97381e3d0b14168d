// SPDX-License-Identifier: Apache-2.0

/// The pending requests, indexed by what they wait for, so that the next launch is found in
/// O(log n) and a blocked request is never looked at.
///
/// A request is in exactly one place: `delayed` until its earliest date, `ready` under the set of
/// conditions it requires, or `parked`: behind the running attempt of its identifier, or for good when
/// it may not be launched any more. Each move gives it a new stamp; a heap entry with an older one is
/// stale. Stale entries are dropped when they surface, or all at once when they are the majority.
struct PendingRequests: Sendable {
    private var requests: [Int64: Place] = [:]
    private var idByIdentifier: [String: Int64] = [:]
    private var delayed = Heap<Entry>()
    private var ready = [Heap<Entry>](repeating: Heap(), count: 1 << Conditions.each.count)
    private var countByKind = [Int](repeating: 0, count: TaskKind.allCases.count + 1)
    private var parked: Set<Int64> = []
    private var staleEntries = 0
    private var lastStamp: UInt64 = 0

    private struct Place: Sendable {
        var request: TaskRequest
        var requires: Conditions
        var index = Index.parked
        var stamp: UInt64 = 0
    }

    private enum Index: Sendable {
        case delayed, ready, parked
    }

    /// Launch order: the date first, then the order of submission.
    private struct Entry: Comparable, Sendable {
        var key: Int64
        var id: Int64
        var stamp: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.key, left.id) < (right.key, right.id)
        }
    }

    var count: Int { requests.count }

    /// Every condition a request that is due waits for.
    var awaited: Conditions {
        ready.indices.reduce(into: Conditions()) { all, set in
            if ready[set].contains(where: { !isStale($0) }) {
                all.formUnion(Conditions(rawValue: UInt8(set)))
            }
        }
    }

    func count(of kind: TaskKind) -> Int { countByKind[Int(kind.rawValue)] }

    func request(_ identifier: String) -> TaskRequest? {
        idByIdentifier[identifier].flatMap { requests[$0]?.request }
    }

    /// The pending request of `identifier` when its earliest date has come, it is not parked and its
    /// id is at most `lastID`.
    func readyRequest(
        _ identifier: String, upTo lastID: Int64, at now: WallTime
    ) -> TaskRequest? {
        guard let id = idByIdentifier[identifier], id <= lastID, let place = requests[id],
            place.index == .ready, !place.request.isBeforeEarliest(now)
        else { return nil }
        return place.request
    }

    /// Every pending request, by launch date and submission.
    var all: [TaskRequest] { Self.inOrder(requests.values.map(\.request)) }

    /// The first `limit` of `all`, without a look at the others.
    func first(_ limit: Int) -> ArraySlice<TaskRequest> {
        var ids = parked
        for heap in [delayed] + ready {
            var rest = limit
            heap.ascend { entry in
                guard !isStale(entry) else { return true }
                if ids.insert(entry.id).inserted { rest -= 1 }
                return rest > 0
            }
        }
        return Self.inOrder(ids.compactMap { requests[$0]?.request }).prefix(limit)
    }

    /// Makes room, so that adding so many requests moves none of them.
    mutating func reserveCapacity(_ count: Int) {
        requests.reserveCapacity(count)
        idByIdentifier.reserveCapacity(count)
    }

    /// Adds `request`; its identifier must not be pending.
    mutating func insert(_ request: TaskRequest, requires: Conditions) {
        precondition(idByIdentifier[request.identifier] == nil, "\(request.identifier) is pending")
        requests[request.id] = Place(request: request, requires: requires)
        idByIdentifier[request.identifier] = request.id
        countByKind[Int(request.kind.rawValue)] += 1
        move(request.id, to: request.earliest == nil ? .ready : .delayed)
    }

    /// Removes and returns the pending request of `identifier`.
    @discardableResult
    mutating func remove(_ identifier: String) -> TaskRequest? {
        guard let id = idByIdentifier.removeValue(forKey: identifier),
            let place = requests.removeValue(forKey: id)
        else { return nil }
        countByKind[Int(place.request.kind.rawValue)] -= 1
        if place.index == .parked { parked.remove(id) } else { staleEntries += 1 }
        dropStaleEntriesIfMany()
        return place.request
    }

    /// Makes requests whose earliest date is `now` or before ready.
    mutating func release(at now: WallTime) {
        while let entry = delayed.smallest {
            if isStale(entry) {
                delayed.removeSmallest()
                staleEntries -= 1
                continue
            }
            guard entry.key <= now.milliseconds else { return }
            delayed.removeSmallest()
            move(entry.id, to: .ready)
        }
    }

    /// The earliest date among requests that are not ready, or nil.
    var nextDate: WallTime? {
        mutating get {
            while let entry = delayed.smallest {
                if !isStale(entry) { return WallTime(milliseconds: entry.key) }
                delayed.removeSmallest()
                staleEntries -= 1
            }
            return nil
        }
    }

    /// The ready request that comes first among those whose conditions are all in `satisfied` and
    /// whose id is at most `lastID`, which never rises: one above it is parked when it surfaces. One
    /// whose earliest date the clock was set back before is delayed again.
    mutating func first(
        satisfying satisfied: Conditions, upTo lastID: Int64, at now: WallTime
    ) -> TaskRequest? {
        var best: Entry?
        for set in ready.indices {
            guard satisfied.isSuperset(of: Conditions(rawValue: UInt8(set))) else { continue }
            while let entry = ready[set].smallest {
                guard let place = requests[entry.id], place.stamp == entry.stamp else {
                    ready[set].removeSmallest()
                    staleEntries -= 1
                    continue
                }
                let isEarly = place.request.isBeforeEarliest(now)
                guard entry.id > lastID || isEarly else {
                    if best.map({ entry < $0 }) ?? true { best = entry }
                    break
                }
                ready[set].removeSmallest()
                move(entry.id, to: isEarly ? .delayed : .parked)
            }
        }
        return best.flatMap { requests[$0.id]?.request }
    }

    /// Sets a ready request aside until `unpark`.
    mutating func park(_ request: TaskRequest) {
        guard requests[request.id]?.index == .ready else { return }
        move(request.id, to: .parked)
        staleEntries += 1
    }

    /// Lets the parked request of `identifier` be chosen again.
    mutating func unpark(_ identifier: String) {
        guard let id = idByIdentifier[identifier], requests[id]?.index == .parked else { return }
        move(id, to: .ready)
    }

    private mutating func move(_ id: Int64, to index: Index) {
        guard var place = requests[id] else { return }
        lastStamp += 1
        if place.index == .parked { parked.remove(id) }
        place.index = index
        place.stamp = lastStamp
        requests[id] = place
        let date = place.request.earliest?.milliseconds ?? .min
        switch index {
        case .delayed: delayed.insert(Entry(key: date, id: id, stamp: lastStamp))
        case .ready:
            ready[Int(place.requires.rawValue)].insert(
                Entry(key: Self.key(place.request), id: id, stamp: lastStamp))
        case .parked: parked.insert(id)
        }
    }

    private func isStale(_ entry: Entry) -> Bool { requests[entry.id]?.stamp != entry.stamp }

    private static func inOrder(_ requests: [TaskRequest]) -> [TaskRequest] {
        requests.sorted { (key($0), $0.id) < (key($1), $1.id) }
    }

    private static func key(_ request: TaskRequest) -> Int64 {
        max(request.earliest?.milliseconds ?? .min, request.submitted.milliseconds)
    }

    private mutating func dropStaleEntriesIfMany() {
        guard staleEntries > 64, staleEntries > requests.count else { return }
        let current = requests
        delayed.keep { current[$0.id]?.stamp == $0.stamp }
        for set in ready.indices { ready[set].keep { current[$0.id]?.stamp == $0.stamp } }
        staleEntries = 0
    }
}

extension TaskRequest {
    fileprivate func isBeforeEarliest(_ now: WallTime) -> Bool {
        earliest.map { $0 > now } ?? false
    }
}
