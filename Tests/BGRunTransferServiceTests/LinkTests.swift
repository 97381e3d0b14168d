// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunStore
import BGRunTransfer
import BGRunTransferLink
import Testing

@Suite("What hosts and the service say to each other")
struct LinkTests {
    @Test(
        "an order is one line, and the same when it is read",
        arguments: [
            .look, .stop, .conditions(.good, TransferPolicy()),
            .conditions(
                TransferConditions(
                    network: .no, metered: .unknown, externalPower: .no, isForbidden: true),
                TransferPolicy(
                    parallel: 1, connections: 2, meteredBudget: 3, meteredPeriod: .seconds(4))),
        ] as [ServiceOrder])
    func orders(_ order: ServiceOrder) {
        let line = order.line
        #expect(line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(ServiceOrder(line: line.dropLast()) == order)
    }

    @Test(
        "a notice is one line, and the same when it is read",
        arguments: [
            .changed([1, 2, .max]), .changed([]),
            .progress([.init(id: 1, bytes: 2, total: nil), .init(id: 3, bytes: 4, total: 5)]),
        ] as [ServiceNotice])
    func notices(_ notice: ServiceNotice) {
        let line = notice.line
        #expect(line.last == UInt8(ascii: "\n") && line.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(ServiceNotice(line: line.dropLast()) == notice)
    }

    @Test(
        "what is not understood is nothing, and what is not said is unknown",
        arguments: ["", "{}", "look", "{\"order\":\"dance\"}", "[1]", "\u{0}"])
    func nonsense(_ text: String) {
        #expect(ServiceOrder(line: Array(text.utf8)[...]) == nil)
        #expect(ServiceNotice(line: Array(text.utf8)[...]) == nil)
        let bare = Array("{\"order\":\"conditions\"}".utf8)
        #expect(ServiceOrder(line: bare[...]) == .conditions(.unknown, TransferPolicy()))
    }

    @Test("a caller who says nonsense is not minded, and others are served")
    func caller() throws {
        let box = try Box()
        let server = try ScriptedServer { $0.answer("200 OK") }
        try box.start()
        let stranger = try ServiceConnection(
            box.loop, path: box.state.transferSocket, onNotice: { _ in }, onClose: {})
        stranger.send(.look)
        let id = try box.add(.download(server.url("/")))
        #expect(try box.finish(id).progress.result == .completed)
        withExtendedLifetime(stranger) {}
    }
}
