// SPDX-License-Identifier: Apache-2.0

import BGRunHTTP
import Testing

@testable import BGRunGateway

@Suite("Counting connections", .timeLimit(.minutes(10)))
struct ConnectionSlotsTests {
    @Test("the gateway of a dashboard and of a webhook has these limits")
    func defaults() {
        let settings = TestServer.defaults
        #expect(settings.connections == 32)
        #expect(settings.connectionsOfOneAddress == 24)
        #expect(settings.requestLimit == 10_000_000_000)
        #expect(settings.pauseLimit == 5_000_000_000)
        #expect(settings.answerLimit == 60_000_000_000)
        #expect(settings.takingLimit == 30_000_000_000)
        #expect(settings.drainLimit == nil)
    }

    @Test("an address has fewer connections than all together, and each is returned")
    func slots() {
        var slots = ConnectionSlots(3, ofOneAddress: 2)
        let (one, other) = (PeerAddress(bytes: [1]), PeerAddress(bytes: [2]))
        func take(_ addresses: PeerAddress...) -> [Bool] { addresses.map { slots.take($0) } }
        #expect(take(one, one, one) == [true, true, false])
        #expect(take(other, other) == [true, false])
        slots.give(one)
        #expect(take(other) == [true])
        for _ in 0..<3 { slots.give(other) }
        #expect(take(other, other, other) == [true, true, false])
    }

    @Test("loopback addresses count as one, and an IPv4 address is the same on an IPv6 socket")
    func addresses() {
        let zeros = [UInt8](repeating: 0, count: 10)
        func mapped(_ address: [UInt8]) -> PeerAddress {
            PeerAddress(internet: zeros + [255, 255] + address)
        }
        let loopback = PeerAddress(internet: [127, 0, 0, 1])
        for other in [
            PeerAddress(internet: [127, 0, 0, 2]), PeerAddress(internet: [127, 255, 0, 9]),
            mapped([127, 0, 0, 3]), PeerAddress(internet: zeros + [0, 0, 0, 0, 0, 1]),
        ] {
            #expect(other == loopback)
        }
        let (one, two) = (mapped([192, 0, 2, 1]), mapped([192, 0, 2, 2]))
        #expect(one == PeerAddress(internet: [192, 0, 2, 1]) && one != two && one != loopback)
        func global(_ network: UInt8, _ host: UInt8) -> PeerAddress {
            let zeros = [UInt8](repeating: 0, count: 7)
            return PeerAddress(internet: [32, 1, 13, 184, 0, 0, 0, network] + zeros + [host])
        }
        #expect(global(1, 1) == global(1, 2) && global(1, 1) != global(2, 1))
        #expect(PeerAddress(internet: zeros + [0, 0, 0, 0, 0, 2]) != loopback)
        #expect(PeerAddress(internet: []) == PeerAddress())
    }
}
