// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@Suite("The gate of transfers", .timeLimit(.minutes(10)))
struct GateTests {
    private static let now = WallTime(milliseconds: 1_000_000)
    private static let later = WallTime(milliseconds: 2_000_000)

    private static func transfer(
        _ wanted: Transfer.Wanted = .run, _ change: (inout TransferRequest) -> Void = { _ in },
        retryAt: WallTime? = nil
    ) -> Transfer {
        var request = TransferRequest(session: "s", direction: .download, url: "http://a/")
        change(&request)
        var progress = TransferProgress()
        progress.retryAt = retryAt
        return Transfer(
            id: 1, request: request, submitted: now, wanted: wanted, progress: progress)
    }

    private static func wait(
        _ transfer: Transfer, network: Reading = .yes, metered: Reading = .no,
        power: Reading = .yes, isForbidden: Bool = false, used: Int64 = 0
    ) -> TransferWait? {
        TransferGate.wait(
            of: transfer,
            under: TransferConditions(
                network: network, metered: metered, externalPower: power, isForbidden: isForbidden),
            budget: MeteredBudget(since: now, bytes: used),
            policy: TransferPolicy(meteredBudget: 1_000, meteredPeriod: .seconds(1_000)), at: now)
    }

    @Test("a plain transfer needs nothing but a network, which may be unknown")
    func plain() {
        for metered in [Reading.unknown, .no, .yes] {
            for power in [Reading.unknown, .no, .yes] {
                #expect(Self.wait(Self.transfer(), metered: metered, power: power) == nil)
            }
        }
        #expect(Self.wait(Self.transfer(), network: .unknown) == nil)
        #expect(Self.wait(Self.transfer(), network: .no) == .network)
    }

    @Test("a discretionary transfer needs a known unmetered network and known power")
    func discretionary() {
        let transfer = Self.transfer { $0.isDiscretionary = true }
        #expect(Self.wait(transfer) == nil)
        #expect(Self.wait(transfer, metered: .yes) == .unmetered(isKnown: true))
        #expect(Self.wait(transfer, metered: .unknown) == .unmetered(isKnown: false))
        #expect(Self.wait(transfer, power: .no) == .power(isKnown: true))
        #expect(Self.wait(transfer, power: .unknown) == .power(isKnown: false))
    }

    @Test("a transfer without metered networks does not need power")
    func unmetered() {
        let transfer = Self.transfer { $0.allowsMetered = false }
        #expect(Self.wait(transfer, power: .no) == nil)
        #expect(Self.wait(transfer, metered: .unknown) == .unmetered(isKnown: false))
    }

    @Test("a user's or an app's command to stop is decided first, then dates")
    func order() {
        let early = { (request: inout TransferRequest) in request.earliest = Self.later }
        #expect(Self.wait(Self.transfer(.suspended, early), network: .no) == .suspended)
        #expect(Self.wait(Self.transfer(.paused, early), network: .no) == .paused)
        #expect(Self.wait(Self.transfer(.run, early), isForbidden: true) == .forbidden)
        #expect(Self.wait(Self.transfer(.run, early), network: .no) == .earliest(Self.later))
        #expect(Self.wait(Self.transfer(retryAt: Self.later), network: .no) == .retry(Self.later))
        #expect(Self.wait(Self.transfer(retryAt: Self.now)) == nil)
        let years = Self.now.advanced(by: .days(1_000))
        #expect(Self.wait(Self.transfer(retryAt: years)) == nil, "the clock was set back")
    }

    @Test(
        "a used-up budget delays transfers on a metered network until its period ends")
    func budget() {
        let end = WallTime(milliseconds: 2_000_000)
        #expect(Self.wait(Self.transfer(), metered: .yes, used: 999) == nil)
        #expect(Self.wait(Self.transfer(), metered: .yes, used: 1_000) == .budget(end))
        #expect(Self.wait(Self.transfer(), metered: .no, used: 1_000) == nil)
    }

    @Test("one transfer or connection is named in the singular")
    func singular() {
        let sentences = [1, 2].flatMap { limit in
            [TransferWait.parallel(limit), .connections(host: "a.org", limit: limit)].map(
                \.sentence)
        }
        #expect(
            sentences == [
                "1 transfer of its app is already running", "1 connection to a.org is already open",
                "2 transfers of its app are already running",
                "2 connections to a.org are already open",
            ])
    }

    @Test("without a host a transfer moves if it waits only for a date")
    func alone() {
        func moves(
            _ transfer: Transfer, network: Reading = .yes, metered: Reading = .no,
            power: Reading = .yes, used: Int64 = 0
        ) -> Bool {
            TransferGate.movesAlone(
                transfer,
                under: TransferConditions(
                    network: network, metered: metered, externalPower: power, isForbidden: false),
                budget: MeteredBudget(since: Self.now, bytes: used),
                policy: TransferPolicy(meteredBudget: 1_000, meteredPeriod: .seconds(1_000)),
                at: Self.now)
        }
        let early = { (request: inout TransferRequest) in request.earliest = Self.later }
        #expect(moves(Self.transfer()))
        #expect(moves(Self.transfer(.run, early, retryAt: Self.later.advanced(by: .seconds(1)))))
        #expect(moves(Self.transfer(), metered: .yes, used: 1_000))
        #expect(!moves(Self.transfer(.suspended)) && !moves(Self.transfer(.paused)))
        #expect(!moves(Self.transfer(.run, early), network: .no))
        #expect(
            !moves(
                Self.transfer(.run) { request in
                    early(&request)
                    request.isDiscretionary = true
                }, power: .unknown))
    }
}

@Suite("Bytes on metered networks", .timeLimit(.minutes(10)))
struct MeteredBudgetTests {
    private static let policy = TransferPolicy(meteredBudget: 100, meteredPeriod: .seconds(10))

    private static func at(_ seconds: Int64) -> WallTime { WallTime(milliseconds: seconds * 1_000) }

    @Test("a period begins with its first byte, and the next one is empty")
    func periods() {
        var budget = MeteredBudget()
        budget.count(60, Self.policy, at: Self.at(5))
        #expect(budget.closedUntil(Self.policy, at: Self.at(6)) == nil)
        budget.count(60, Self.policy, at: Self.at(9))
        #expect(budget.closedUntil(Self.policy, at: Self.at(9)) == Self.at(15))
        #expect(budget.closedUntil(Self.policy, at: Self.at(15)) == nil)
        budget.count(1, Self.policy, at: Self.at(20))
        #expect(budget.bytes == 1 && budget.since == Self.at(20))
    }

    @Test("a clock that is set back does not close the gate for ever; no budget means no limit")
    func clock() {
        var budget = MeteredBudget(since: Self.at(1_000), bytes: 100)
        #expect(budget.closedUntil(Self.policy, at: Self.at(10)) == nil)
        budget.count(.max, Self.policy, at: Self.at(1_001))
        budget.count(.max, Self.policy, at: Self.at(1_001))
        #expect(budget.bytes == .max)
        #expect(budget.closedUntil(TransferPolicy(), at: Self.at(1_001)) == nil)
    }
}
