// SPDX-License-Identifier: Apache-2.0

/// The pending requests, indexed by the event they wait for: the next launch is found in O(log n) without a look at
/// blocked requests. A request is in exactly one place: `delayed` until its date, `ready` in its class, or `parked`:
/// behind the running attempt of its identifier, or permanently if it may not be launched any more. Each move gives it
/// a new stamp; heap entries with an older one are stale, and dropped later.
struct PendingRequests: Sendable {
    /// By slot, parallel to `places`, which are accessed much more often.
    private(set) var requests: [TaskRequest] = []
    private(set) var places: [Place] = []
    /// Changes when the slots are renumbered.
    var numbering: UInt32 = 0
    private var freeSlots: [Int] = []
    private var slotByIdentifier: [String: Int] = [:]
    private var delayed = Heap<Entry>()
    private(set) var requestClasses: [RequestClass] = []
    private var ready: [Heap<Entry>] = []
    private var countByKind = [Int](repeating: 0, count: TaskKind.allCases.count + 1)
    /// The slots of the parked requests.
    private var parked: Set<Int> = []
    private var staleEntries = 0
    private var lastStamp: UInt64 = 0

    var count: Int { slotByIdentifier.count }

    func count(of kind: TaskKind) -> Int { countByKind[Int(kind.rawValue)] }

    /// Counts requests that are only in the store.
    mutating func count(_ notLoaded: [TaskKind: Int]) {
        for (kind, count) in notLoaded { countByKind[Int(kind.rawValue)] = count }
    }

    func isPending(_ identifier: String) -> Bool { slotByIdentifier[identifier] != nil }

    func request(_ identifier: String) -> TaskRequest? {
        slotByIdentifier[identifier].map { requests[$0] }
    }

    /// The number of requests that `first(of:where:)` checks.
    static let mostLookedAt = 1_000

    /// The identifier of any request of that kind that `matches`; of any request if none of the first ones matches and
    /// there are more.
    func first(of kind: TaskKind, where matches: (String) -> Bool) -> String? {
        guard count(of: kind) > 0 else { return nil }
        let found = slotByIdentifier.prefix(Self.mostLookedAt).first {
            requests[$0.value].kind == kind && matches($0.key)
        }
        return (found ?? (count > Self.mostLookedAt ? slotByIdentifier.first : nil))?.key
    }

    func place(_ identifier: String) -> Place? { slotByIdentifier[identifier].map { places[$0] } }

    /// The pending request of `identifier` if it is ready and `gate` admits its date, its preference and its id.
    func readyRequest(_ identifier: String, through gate: LaunchGate, at now: WallTime) -> Chosen? {
        guard let slot = slotByIdentifier[identifier], places[slot].index == .ready,
            places[slot].id <= gate.lastID, date(of: slot, gate) <= now.milliseconds,
            isPreferenceMet(since: places[slot].since, places[slot].requestClass, gate, now)
        else { return nil }
        return chosen(slot)
    }

    /// The pending request of `identifier` in any state.
    func chosen(_ identifier: String) -> Chosen? { slotByIdentifier[identifier].map(chosen) }

    private func chosen(_ slot: Int) -> Chosen {
        Chosen(
            request: requests[slot], task: places[slot].task,
            requestClass: places[slot].requestClass)
    }

    /// The needs of all ready requests.
    var needs: Needs {
        requestClasses.indices.reduce(into: Needs()) { needs, index in
            let waiting = requestClasses[index]
            let (conditions, factors) = (waiting.conditions, waiting.factors)
            guard
                !needs.conditions.isSuperset(of: conditions)
                    || !needs.factors.isSuperset(of: factors)
            else { return }
            if ready[index].contains(where: { !isStale($0) }) {
                needs.conditions.formUnion(conditions)
                needs.factors.formUnion(factors)
            }
        }
    }

    /// Every pending request, by launch date and submission.
    var all: [TaskRequest] { inOrder(slotByIdentifier.values) }

    /// The first `limit` of `all`, without sorting the others.
    func first(_ limit: Int) -> ArraySlice<TaskRequest> {
        guard limit > 0 else { return [] }
        var slots = parked
        for heap in [delayed] + ready {
            var rest = limit
            heap.ascend { entry in
                guard !isStale(entry) else { return true }
                if slots.insert(entry.slot).inserted { rest -= 1 }
                return rest > 0
            }
        }
        return inOrder(slots).prefix(limit)
    }

    private func inOrder(_ slots: some Sequence<Int>) -> [TaskRequest] {
        slots.map { (key: places[$0].key, request: requests[$0]) }.sorted {
            ($0.key, $0.request.id) < ($1.key, $1.request.id)
        }.map(\.request)
    }

    /// Reserves space, so that adding `count` requests does not reallocate.
    mutating func reserveCapacity(_ count: Int) {
        requests.reserveCapacity(count)
        places.reserveCapacity(count)
        slotByIdentifier.reserveCapacity(count)
    }

    /// The number of the class, which is created if it is missing.
    mutating func requestClass(_ requestClass: RequestClass) -> Int {
        if let index = requestClasses.firstIndex(of: requestClass) { return index }
        requestClasses.append(requestClass)
        ready.append(Heap())
        return requestClasses.count - 1
    }

    /// The slot for the next request of `identifier`: that of the pending one, or a free one. `insert` must follow.
    mutating func claim(_ identifier: String) -> (slot: Int, replaced: TaskRequest?) {
        let slot = Self.take(
            freeSlots.last ?? places.count, in: &slotByIdentifier[identifier, default: -1])
        if slot < places.count, places[slot].index != .free {
            leave(slot)
            return (slot, requests[slot])
        }
        if freeSlots.popLast() == nil { places.append(.free) }
        return (slot, nil)
    }

    /// The same for an identifier that is not pending.
    mutating func claimFree(_ identifier: String) -> Int {
        let (slot, replaced) = claim(identifier)
        precondition(replaced == nil, "two requests of one identifier are pending")
        return slot
    }

    private static func take(_ free: Int, in slot: inout Int) -> Int {
        if slot < 0 { slot = free }
        return slot
    }

    /// Adds `request` of the task with that index in the slot claimed for its identifier.
    mutating func insert(
        _ request: TaskRequest, at slot: Int, task: Int, requestClass: Int, placed: WallTime? = nil
    ) {
        places[slot] = Place(
            task: task, requestClass: requestClass, id: request.id, earliest: request.earliest,
            placed: placed, since: request.since.milliseconds)
        if slot == requests.count {
            requests.append(request)
        } else {
            requests[slot] = request
        }
        countByKind[Int(request.kind.rawValue)] += 1  // fits: requests in memory or stored
        if request.earliest == nil, placed == nil {
            move(slot, to: .ready)
        } else {
            move(
                slot, to: .delayed,
                until: max(request.earliest?.milliseconds ?? .min, placed?.milliseconds ?? .min))
        }
    }

    /// Puts a request back in its place.
    mutating func restore(_ pending: Engine.Snapshot.Pending, task: Int, requestClass: Int) {
        let slot = claimFree(pending.request.identifier)
        insert(
            pending.request, at: slot, task: task, requestClass: requestClass,
            placed: pending.placed)
        places[slot].since = pending.since
        staleEntries += 1
        switch pending.stage {
        case .delayed(let date): move(slot, to: .delayed, until: date)
        case .ready: move(slot, to: .ready)
        case .parked: move(slot, to: .parked)
        }
    }

    /// Removes the pending request of `identifier` and returns its slot; nil: none was pending.
    @discardableResult
    mutating func drop(_ identifier: String) -> Int? {
        guard let slot = slotByIdentifier.removeValue(forKey: identifier) else { return nil }
        freeSlots.append(slot)
        leave(slot)
        return slot
    }

    /// The same, but returns the request.
    mutating func remove(_ identifier: String) -> TaskRequest? {
        drop(identifier).map { requests[$0] }
    }

    private mutating func leave(_ slot: Int) {
        countByKind[Int(requests[slot].kind.rawValue)] -= 1
        if places[slot].index != .parked { staleEntries += 1 }
        move(slot, to: .free)
        dropStaleEntriesIfMany()
    }

    /// Makes requests with a date up to `now` ready.
    mutating func release(at now: WallTime) {
        while let entry = firstDelayed(), entry.key <= now.milliseconds {
            delayed.removeSmallest()
            move(entry.slot, to: .ready)
        }
    }

    /// The earliest date among requests that are not ready, or nil.
    var nextDate: WallTime? {
        mutating get { firstDelayed().map { WallTime(milliseconds: $0.key) } }
    }

    private mutating func firstDelayed() -> Entry? {
        while let entry = delayed.smallest {
            if !isStale(entry) { return entry }
            delayed.removeSmallest()
            staleEntries -= 1
        }
        return nil
    }

    /// The earliest date after `now` at which a request that prefers power has waited long enough.
    mutating func nextPreference(through gate: LaunchGate, after now: WallTime) -> WallTime? {
        guard gate.powerWait > .zero else { return nil }
        var next: WallTime?
        for index in requestClasses.indices
        where requestClasses[index].prefersPower && gate.admits(requestClasses[index]) {
            guard let entry = firstReady(index) else { continue }
            let date = WallTime(milliseconds: entry.key).advanced(by: gate.powerWait)
            if date > now { next = min(next ?? date, date) }
        }
        return next
    }

    /// The factors that pending requests need.
    var neededFactors: Factors {
        mutating get {
            var factors = Factors()
            for index in requestClasses.indices where firstReady(index) != nil {
                factors.formUnion(requestClasses[index].factors)
            }
            return factors
        }
    }

    private mutating func firstReady(_ requestClass: Int) -> Entry? {
        while let entry = ready[requestClass].smallest {
            if !isStale(entry) { return entry }
            ready[requestClass].removeSmallest()
            staleEntries -= 1
        }
        return nil
    }

    /// The first ready request that `gate` admits, except of the kinds whose bit is set in `full`. One above the last
    /// id, which never rises, is parked; one before its date is delayed again.
    mutating func first(through gate: LaunchGate, full: UInt16 = 0, at now: WallTime) -> Chosen? {
        var best: Entry?
        for index in requestClasses.indices
        where ready[index].count > 0 && gate.admits(requestClasses[index]) {
            let kind = requestClasses[index].kind
            guard full & 1 << UInt16(kind.rawValue) == 0 else { continue }
            while let entry = firstReady(index) {
                let date = date(of: entry.slot, gate)
                guard entry.id > gate.lastID || date > now.milliseconds else {
                    if isPreferenceMet(since: entry.key, index, gate, now) {
                        if best.map({ entry < $0 }) ?? true { best = entry }
                    }
                    break
                }
                ready[index].removeSmallest()
                if date > now.milliseconds {
                    move(entry.slot, to: .delayed, until: date)
                } else {
                    move(entry.slot, to: .parked)
                }
            }
        }
        return best.map { chosen($0.slot) }
    }

    /// Whether a request of the class that prefers power has waited long enough; the others in the heap have waited no
    /// longer.
    private func isPreferenceMet(
        since: Int64, _ requestClass: Int, _ gate: LaunchGate, _ now: WallTime
    ) -> Bool {
        gate.powerWait == .zero || !requestClasses[requestClass].prefersPower
            || WallTime(milliseconds: since).advanced(by: gate.powerWait) <= now
    }

    /// Sets a ready request aside until `unpark`.
    mutating func park(_ identifier: String) {
        guard let slot = slotByIdentifier[identifier], places[slot].index == .ready else { return }
        move(slot, to: .parked)
        staleEntries += 1
    }

    /// Lets the parked request of `identifier` be chosen again. Returns false if none is pending.
    @discardableResult
    mutating func unpark(_ identifier: String) -> Bool {
        guard let slot = slotByIdentifier[identifier] else { return false }
        if places[slot].index == .parked { move(slot, to: .ready) }
        return true
    }

    /// Moves requests of `kind` whose date is now earlier; `placing` receives the previous date. O(n).
    mutating func reconsider(_ kind: TaskKind, placing: (TaskRequest, Int, WallTime?) -> WallTime?)
    {
        for slot in slotByIdentifier.values where requests[slot].kind == kind {
            places[slot].placed = placing(requests[slot], places[slot].task, places[slot].placed)
            guard places[slot].index == .delayed else { continue }
            staleEntries += 1
            move(slot, to: .ready)
        }
    }

    /// The clock was set back to `now`: limits the dates of submission to `now` and keeps the delay of each request
    /// from then on. Returns the changed requests by id. With `all`, checks every date again. O(n).
    mutating func followClock(
        backTo now: WallTime, all: Bool, spacedUntil latest: WallTime
    ) -> [TaskRequest] {
        var changed: [TaskRequest] = []
        for slot in slotByIdentifier.values {
            let isAhead = requests[slot].submitted > now
            if isAhead {
                let back = requests[slot].shift(backTo: now)
                places[slot].placed = places[slot].placed?.advanced(by: back)
                places[slot].earliest = requests[slot].earliest
                places[slot].since = requests[slot].since.milliseconds
                if places[slot].index == .parked { places[slot].key = places[slot].since }
                changed.append(requests[slot])
            }
            let isSpaced = requests[slot].kind != .appRefresh
            let isLate = isSpaced && places[slot].placed.map { $0 > latest } ?? false
            if isLate { places[slot].placed = latest }
            guard all || isAhead || isLate, places[slot].index != .parked else { continue }
            staleEntries += 1
            move(slot, to: .ready)
        }
        return changed.sorted { $0.id < $1.id }
    }

    private mutating func move(_ slot: Int, to index: Index, until date: Int64 = .min) {
        lastStamp += 1
        var place = places[slot]
        if place.index == .parked { parked.remove(slot) }
        place.index = index
        place.stamp = lastStamp
        place.key = index == .delayed ? date : place.since
        places[slot] = place
        let entry = Entry(key: place.key, id: place.id, slot: slot, stamp: lastStamp)
        switch index {
        case .delayed: delayed.insert(entry)
        case .ready: ready[place.requestClass].insert(entry)
        case .parked: parked.insert(slot)
        case .free: break
        }
    }

    private func isStale(_ entry: Entry) -> Bool { places[entry.slot].stamp != entry.stamp }

    /// The earliest date of a request: the latest of its own date, the date from usage and that of its task.
    private func date(of slot: Int, _ gate: LaunchGate) -> Int64 {
        let place = places[slot]
        let own = max(place.earliest?.milliseconds ?? .min, place.placed?.milliseconds ?? .min)
        return place.task < gate.notBefore.count ? max(own, gate.notBefore[place.task]) : own
    }

    private mutating func dropStaleEntriesIfMany() {
        guard staleEntries > max(64, count) else { return }
        let current = places
        delayed.keep { current[$0.slot].stamp == $0.stamp }
        for index in ready.indices { ready[index].keep { current[$0.slot].stamp == $0.stamp } }
        staleEntries = 0
    }
}
