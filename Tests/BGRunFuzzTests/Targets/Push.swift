// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHTTP
import BGRunPolicy

@testable import BGRunPushes

extension FuzzTarget {
    /// A message of a source: an envelope, or only a payload.
    static let push = FuzzTarget("push") { bytes in
        let sent = WallTime(milliseconds: 1_770_000_000_000)
        for task in [nil, "com.example.app.push"] {
            if let offer = try? PushEnvelope.read(bytes, task: task, sent: sent) {
                try check(offer, of: bytes)
            }
        }
        if let offer = try? PushEnvelope.payload(bytes, of: "com.example.app.push") {
            try check(offer, of: bytes)
        }
    }

    private static func check(_ offer: PushOffer, of bytes: [UInt8]) throws {
        try hold(bytes.count <= PushEnvelope.longest, "\(bytes.count) bytes were read")
        // 1e120 is written with all of its digits; `PushRule` refuses a payload that becomes too long.
        try hold(offer.payload.utf8.count <= 40 * bytes.count + 100, "\(offer.payload)")
        guard offer.payload.utf8.count <= PushRule.longestPayload else { return }
        let again = try PushEnvelope.payload(Array(offer.payload.utf8), of: offer.identifier)
        let twice = try PushEnvelope.payload(Array(again.payload.utf8), of: offer.identifier)
        try hold(again.payload == twice.payload, "\(again.payload)\n\(twice.payload)")
        try hold(again.aps == offer.aps, "read again, `aps` is another")
    }
}
