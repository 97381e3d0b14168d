// SPDX-License-Identifier: Apache-2.0

import BGRunDashboard
import BGRunPolicy
import BGRunSimulation
import Testing

@Suite("The budget over time", .timeLimit(.minutes(10)))
struct BudgetCurveTests {
    private static func run(_ policy: String, power: String = "battery") throws -> SimulationResult
    {
        try Sample.run(
            Sample.task("fetch", "kind: app-refresh, submit: manual"), policy: policy,
            """
            duration: 2h
            device: {power: \(power), battery: {start: 90%}}
            events: [{at: 10m, submit: com.app.fetch}]
            handlers: {com.app.fetch: {takes: 20s}}
            """)
    }

    @Test("an attempt's time is spent at its end and refills linearly")
    func curve() throws {
        // 20 s of 10 min are restored in 1/30 of 12 h.
        let result = try Self.run("{}")
        let end = 620_000_000_000 as Int64
        let refilled = end + 24 * 60_000_000_000
        #expect(
            result.budget.points.map(\.at) == [end, end, refilled, result.end])
        #expect(
            result.budget.points.map(\.spent) == [.zero, .seconds(20), .zero, .zero])
        #expect(result.budget.peak?.spent == .seconds(20))
        #expect(result.budget.spent(at: 0) == .zero)
        #expect(result.budget.spent(at: (end + refilled) / 2) == .seconds(10))
        #expect(result.budget.spent(at: result.end) == .zero)
    }

    @Test("a share is at most the whole budget, however small that is")
    func overspent() throws {
        let shares = try Self.run("{budget: 1ms}").budgetShares
        #expect(shares.count <= 101 && shares.contains { $0.share == "100% of 1ms" })
    }

    @Test("the three reports show the curve")
    func reports() throws {
        let result = try Self.run("{}")
        #expect(result.report.contains("budget: 10m, at most 20s spent (Mon 08:10:20)"))
        #expect(
            result.json.contains(
                #""budget":{"limit":600,"points":[[620,0],[620,20],[2060,0],[7200,0]]}"#))
        // 4 % fall to 0 in 24 minutes.
        for tip in [
            "budget spent: 4% of 10m\nMon 2 08:10:20 to 08:16:20, 6m",
            "budget spent: 1% of 10m\nMon 2 08:28:20 to 08:34:20, 6m",
        ] {
            #expect(result.page.contains("<title>\(tip)</title>"))
        }
    }

    @Test("external power spends nothing, and there is no curve without a budget")
    func nothing() throws {
        let powered = try Self.run("{}", power: "external")
        #expect(powered.report.contains("budget: 10m, nothing spent"))
        #expect(!powered.page.contains("class=\"budget\""))
        let free = try Self.run("{profile: server}")
        #expect(!free.report.contains("budget"))
        #expect(free.json.contains(#""budget":null"#))
    }
}
