// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import CBGRunPlugin
import Testing

@testable import BGRunHost
@testable import BGRunTransfers

@Suite("The flags of a plugin's transfer", .timeLimit(.minutes(10)))
struct TransferRequestFlagsTests {
    private static func request(_ flags: UInt32) throws -> TransferRequest {
        var wish = WorkerMessage.TransferRequest(session: "s", url: "https://example.org/f")
        wish.flags = flags
        return try TransferRequest(wish, from: "/tmp", at: WallTime(milliseconds: 1))
    }

    @Test("a transfer without flags uses any network at once, and launches its session's task")
    func plain() throws {
        let request = try Self.request(0)
        #expect(request.direction == .download)
        #expect(request.allowsMetered && request.sendsLaunchEvents && !request.isDiscretionary)
        #expect(request.acceptsAnyStatus == nil && request.keepsFile == nil)
    }

    @Test("each flag changes only its own property")
    func flags() throws {
        let flags: [(UInt32, (inout TransferRequest) -> Void)] = [
            (BGRUN_TRANSFER_NO_METERED, { $0.allowsMetered = false }),
            (BGRUN_TRANSFER_DISCRETIONARY, { $0.isDiscretionary = true }),
            (BGRUN_TRANSFER_NO_LAUNCH_EVENTS, { $0.sendsLaunchEvents = false }),
            (BGRUN_TRANSFER_ANY_STATUS, { $0.acceptsAnyStatus = true }),
            (BGRUN_TRANSFER_KEEP, { $0.keepsFile = true }),
        ]
        for (flag, change) in flags {
            var expected = try Self.request(0)
            change(&expected)
            #expect(try Self.request(flag) == expected)
        }
    }
}
