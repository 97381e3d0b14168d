// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import Testing

@testable import BGRunDevice

@Suite("Network", .timeLimit(.minutes(10)))
struct NetworkTests {
    private static let eth0 = RoutedNetwork(defaultRoute: "eth0")
    private static let nowhere = RoutedNetwork(defaultRoute: nil)

    private static func managed(
        state: UInt32 = 70, connectivity: UInt32 = 4, metered: UInt32 = 4
    ) -> ManagedNetwork {
        ManagedNetwork(
            state: state, connectivity: connectivity, metered: metered,
            primaryType: "802-11-wireless")
    }

    @Test(
        "NetworkManager's connectivity decides, or its state if connectivity is not checked",
        arguments: [
            (70, 4, .yes, .full), (70, 3, .no, .limited), (70, 2, .no, .portal),
            (70, 1, .no, .none), (70, 0, .yes, .unknown), (60, 0, .no, .unknown),
            (50, 4, .yes, .full), (49, 4, .no, .full),
            (20, 1, .no, .none), (10, 0, .no, .unknown),
        ] as [(UInt32, UInt32, Reading, Connectivity)])
    func connectivity(state: UInt32, check: UInt32, network: Reading, reach: Connectivity) {
        let findings = NetworkRule.findings(
            Self.managed(state: state, connectivity: check), Self.nowhere)
        #expect(findings.network.value == network)
        #expect(findings.connectivity.value == reach)
    }

    @Test(
        "a guess about metering counts and is reported as a guess",
        arguments: [
            (0, .unknown, .unknown), (1, .yes, .yes), (2, .no, .no), (3, .guessYes, .yes),
            (4, .guessNo, .no), (9, .unknown, .unknown),
        ] as [(UInt32, Metered, Reading)])
    func metering(number: UInt32, metered: Metered, reading: Reading) {
        let finding = NetworkRule.findings(Self.managed(metered: number), Self.eth0).metered
        #expect(finding.value == metered)
        #expect(finding.value.reading == reading)
        #expect((finding.confidence == .unknown) == (metered == .unknown))
    }

    @Test("a network that NetworkManager does not manage counts, with unknown metering")
    func unmanaged() {
        let findings = NetworkRule.findings(Self.managed(state: 20), Self.eth0)
        #expect(findings.network.value == .yes)
        #expect(findings.network.confidence == .derived)
        #expect(findings.metered.value == .unknown)
    }

    @Test("without NetworkManager a network exists exactly if there is a default route")
    func routes() {
        #expect(NetworkRule.findings(nil, Self.eth0).network.value == .yes)
        #expect(NetworkRule.findings(nil, Self.eth0).metered.value == .unknown)
        #expect(NetworkRule.findings(nil, Self.nowhere).network.value == .no)
    }

    @Test("without any source the network is unknown")
    func nothing() {
        #expect(NetworkRule.findings(nil, nil).network.value == .unknown)
    }

    @Test("a default route counts while its link has a carrier")
    func carrier() {
        var table = RouteTable()
        _ = table.take(.link(index: 2, name: "eth0", isUp: false))
        _ = table.take(.defaultRoute(via: 2))
        #expect(table.network.defaultRoute == nil)
        _ = table.take(.link(index: 2, name: "eth0", isUp: true))
        #expect(table.network.defaultRoute == "eth0")
    }

    @Test("the kernel is queried again only when a link goes down or a default route is removed")
    func askAgain() {
        var table = RouteTable()
        let messages: [RouteMessage] = [
            .link(index: 2, name: "eth0", isUp: true), .link(index: 2, name: "eth0", isUp: true),
            .defaultRoute(via: 2), .link(index: 2, name: "eth0", isUp: false), .defaultRouteGone,
            .linkGone(index: 2), .linkGone(index: 2),
        ]
        #expect(messages.map { table.take($0) } == [true, false, false, true, true, true, false])
    }

    @Test("a route over several links is a network")
    func several() {
        var table = RouteTable()
        _ = table.take(.defaultRoute(via: nil))
        #expect(table.network.defaultRoute != nil)
        table.forgetRoutes()
        #expect(table.network.defaultRoute == nil)
    }
}
