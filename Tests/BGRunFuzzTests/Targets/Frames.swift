// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

extension FuzzTarget {
    /// The stream between host and worker. The first byte is the size of the chunks that are received.
    static let frames = FuzzTarget(
        "frames", made: { [[3] + FrameBuffer.frame([1, 2, 3]) + FrameBuffer.frame([])] }
    ) { bytes in
        guard let size = bytes.first else { return }
        let stream = Array(bytes.dropFirst())
        let whole = frames(in: stream, by: max(1, stream.count))
        let parts = frames(in: stream, by: Int(size) + 1)
        try hold(whole == parts, "the frames depend on the chunks")
        let total = whole.reduce(0) { $0 + $1.count + 4 }
        try hold(total <= stream.count, "\(total) bytes of frames in \(stream.count)")
        for payload in whole {
            let again = frames(in: FrameBuffer.frame(payload), by: 5)
            try hold(again == [payload], "framed again, it is another payload")
        }
    }

    private static func frames(in stream: [UInt8], by size: Int) -> [[UInt8]] {
        var buffer = FrameBuffer()
        var frames: [[UInt8]] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            stream[start..<min(stream.count, start + size)].withUnsafeBytes { buffer.append($0) }
            do throws(WireError) {
                while let frame = try buffer.next() { frames.append(Array(frame)) }
            } catch {
                return frames
            }
        }
        return frames
    }
}
