// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import BGRunWire

@Suite("Reading payloads")
struct WireReaderTests {
    @Test("a peer that claims many elements gets no memory for them")
    func claims() async {
        await #expect(processExitsWith: .success) {
            // 4 million transfers in memory are over 1 GiB; half of it is left to this process.
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
                .split(separator: " ").first.flatMap { rlim_t($0) }
            let most = try #require(pages) * rlim_t(getpagesize()) + (512 << 20)
            var limit = rlimit(rlim_cur: most, rlim_max: most)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
            var answer: [UInt8] = [3] + [UInt8](repeating: 0, count: 4 + 4 + 1 + 4 + 8 + 4)
            answer += [UInt8](repeating: 0xFF, count: 4)
            answer += [UInt8](repeating: 0xFF, count: FrameBuffer.largestFrame - answer.count)
            #expect(throws: WireError.self) { try HostMessage(payload: answer[...]) }
        }
    }
}
