// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc

/// The file of an upload. A change of the file during the upload ends it.
final class UploadSource {
    let size: Int64
    private let path: String
    private let descriptor: Int32
    private let stamp: FileStamp

    init(_ path: String) throws(TransferProblem) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw TransferProblem(file: path, doing: "read", errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TransferProblem(.file, "\(path) is not a regular file")
        }
        stamp = FileStamp(status)
        size = Int64(status.st_size)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Returns the number of bytes read; 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(TransferProblem) -> Int {
        // Data appended since is not part of the upload.
        let room = min(buffer.count, Int(clamping: size - offset))
        while room > 0 {
            let count = pread(descriptor, buffer.baseAddress, room, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TransferProblem(file: path, doing: "read", errno: errno) }
            guard count > 0 else { throw changed }
            return count
        }
        return 0
    }

    func checkUnchanged() throws(TransferProblem) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, FileStamp(status) == stamp else {
            throw changed
        }
    }

    private var changed: TransferProblem {
        TransferProblem(
            .file, "\(path) has changed while it was sent; submit it again when it is complete")
    }
}
