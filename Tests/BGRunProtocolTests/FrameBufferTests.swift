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
    func limit() async throws {
        let payload = [UInt8](repeating: 7, count: FrameBuffer.largestFrame)
        #expect(try frames(FrameBuffer.frame(payload), cuts: []) == [payload])
        var writer = WireWriter()
        writer.put(payload + [7])
        #expect(throws: WireError.self) { try frames(writer.bytes, cuts: []) }
        await #expect(processExitsWith: .failure) {
            _ = FrameBuffer.frame([UInt8](repeating: 7, count: FrameBuffer.largestFrame + 1))
        }
    }

    @Test("of a message to a worker are nil if the message is too large")
    func bounded() {
        func answer(_ count: Int) -> HostMessage {
            .answer(
                call: 1, HostMessage.Answer(status: 0, data: [UInt8](repeating: 1, count: count)))
        }
        // The frame of an answer without data also has a length.
        let most = FrameBuffer.largestFrame - (answer(0).frame.count - 4)
        #expect(answer(most).boundedFrame == answer(most).frame)
        #expect(answer(most + 1).boundedFrame == nil)
    }
}
