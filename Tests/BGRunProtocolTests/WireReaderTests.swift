// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BGRunProtocol

@Suite("The reader of payloads", .timeLimit(.minutes(10)))
struct WireReaderTests {
    /// 4,294,967,295 of these are 256 TiB: more than a process can map.
    private struct Large {
        let bytes = InlineArray<65_536, UInt8>(repeating: 0)
    }

    @Test("a large number of elements allocates no memory in advance")
    func claims() {
        let payload = [UInt8](repeating: 0xFF, count: 4 + 10)
        var reader = WireReader(payload[...])
        #expect(throws: WireError.self) {
            try reader.readArray { reader throws(WireError) in
                _ = try reader.read(UInt64.self)
                return Large()
            }
        }
    }
}
