// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Testing

@Suite("Frames", .timeLimit(.minutes(5)))
struct FrameBufferTests {
    /// The frames that result when the stream is appended in parts that end at `cuts`.
    private func frames(_ stream: [UInt8], cuts: [Int]) throws -> [[UInt8]] {
        var buffer = FrameBuffer()
        var frames: [[UInt8]] = []
        var start = 0
        for end in cuts + [stream.count] {
            stream[start..<end].withUnsafeBytes { buffer.append($0) }
            start = end
            while let frame = try buffer.next() { frames.append(Array(frame)) }
        }
        return frames
    }

    @Test("are complete, wherever the stream is split")
    func cuts() throws {
        let payloads: [[UInt8]] = [
            Array(repeating: 1, count: 70_000), [], [2, 3], Array(repeating: 4, count: 90_000), [5],
        ]
        let stream = payloads.flatMap { FrameBuffer.frame($0) }
        for cut in [1, 3, 4, 70_003, 70_004, 70_006, 70_008, 70_010, 120_000, stream.count - 1] {
            #expect(try frames(stream, cuts: [cut]) == payloads, "cut at \(cut)")
        }
        #expect(try frames(stream, cuts: [70_006, 100_000, 120_000]) == payloads)
    }

    @Test("have at most the maximum length")
    func limit() throws {
        let payload = [UInt8](repeating: 7, count: FrameBuffer.largestFrame)
        #expect(try frames(FrameBuffer.frame(payload), cuts: []) == [payload])
        #expect(throws: WireError.self) {
            try frames(FrameBuffer.frame(payload + [7]), cuts: [])
        }
    }
}
