// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc

/// The file of an upload. A change of the file during the upload ends it.
final class UploadSource {
    let size: Int64
    private let path: String
    private let file: ReadableFile
    private let stamp: FileStamp

    /// - Parameter directory: Its directory, and the file may not be a link; nil: its path is followed.
    init(_ path: String, in directory: OpenDirectory? = nil) throws(TransferProblem) {
        self.path = path
        let place = directory?.path(of: path) ?? path
        file = try ReadableFile(place, followsLink: directory == nil) { code -> TransferProblem in
            guard let code else { return TransferProblem(.file, "\(path) is not a regular file") }
            return TransferProblem(file: path, doing: "read", errno: code)
        }
        stamp = FileStamp(file.status)
        size = Int64(file.status.st_size)
    }

    /// Returns the number of bytes read; 0 at the end.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(TransferProblem) -> Int {
        // Data appended since is not part of the upload.
        let length = min(buffer.count, Int(clamping: size - offset))
        while length > 0 {
            let count = pread(file.descriptor, buffer.baseAddress, length, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TransferProblem(file: path, doing: "read", errno: errno) }
            guard count > 0 else { throw changed }
            return count
        }
        return 0
    }

    func checkUnchanged() throws(TransferProblem) {
        var status = stat()
        guard fstat(file.descriptor, &status) == 0, FileStamp(status) == stamp else {
            throw changed
        }
    }

    private var changed: TransferProblem {
        TransferProblem(
            .file, "\(path) has changed while it was sent; submit it again when it is complete")
    }
}
