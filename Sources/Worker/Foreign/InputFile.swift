// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSystem
import Glibc

/// Files that are passed as buffers.
enum InputFile {
    /// Reads a whole regular file, so that truncating it meanwhile cannot crash the program as with a mapping. A NUL
    /// follows the bytes.
    static func read(
        _ path: String, named name: String, into memory: ProgramMemory
    ) throws(ForeignFailure) -> (start: UnsafeMutableRawPointer, count: Int) {
        func failure(_ verb: String, _ error: Int32) -> ForeignFailure {
            ForeignFailure("\(name) cannot be \(verb): \(CText.error(error))")
        }
        let file = try ReadableFile(path) { code -> ForeignFailure in
            guard let code else { return ForeignFailure("\(name) is not a regular file") }
            return failure("opened", code)
        }
        defer { withExtendedLifetime(file) {} }
        let size = UInt64(clamping: file.status.st_size)
        guard size < ForeignLimits.bufferBytes else {
            throw ForeignFailure(
                "\(name) has \(size) bytes, less than \(ForeignLimits.bufferBytes) are allowed")
        }
        let start = try memory.allocateBuffer(size + 1)
        var count = 0
        while count < Int(size) {
            let got = Glibc.read(file.descriptor, start + count, Int(size) - count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw failure("read", errno) }
            if got == 0 { break }
            count += got
        }
        var more: UInt8 = 0
        guard size > 0 || Glibc.read(file.descriptor, &more, 1) <= 0 else {
            throw ForeignFailure(
                "\(name) does not say how large it is, as files of /proc and /sys do not; copy it")
        }
        return (start, count)
    }
}
