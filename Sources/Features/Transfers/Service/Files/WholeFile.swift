// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import CCrypto
import Glibc

/// The last steps of a download, each of which blocks.
enum WholeFile {
    /// Syncs the file to the disk and checks its digest.
    static func check(_ file: PartialFile, sha256: String?) throws(TransferProblem) {
        try file.sync()
        guard let sha256 else { return }
        let found = try digest(of: file)
        guard found == sha256.lowercased() else {
            throw TransferProblem(
                .wrongDigest,
                "the file's sha256 is \(found) and \(sha256) was asked for; "
                    + "correct the sum, or ask the operator of the server")
        }
    }

    /// Moves the file to its destination, atomically replacing an existing file; synced to the disk on return.
    static func place(_ file: PartialFile, at path: String) throws(TransferProblem) {
        let source = file.directory?.path(of: file.path) ?? file.path
        let target = file.directory?.path(of: path) ?? path
        if let mode = PartialFile.mode(of: target) { fchmod(file.descriptor, mode) }
        guard rename(source, target) == 0 else {
            throw TransferProblem(file: path, doing: "replaced", errno: errno)
        }
        ParentDirectory.sync(target)
    }

    private static func digest(of file: PartialFile) throws(TransferProblem) -> String {
        let hash = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(hash) }
        EVP_DigestInit_ex(hash, EVP_sha256(), nil)
        let size = 256 * 1024
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while true {
            let count = pread(file.descriptor, buffer.baseAddress, size, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw TransferProblem(file: file.path, doing: "read", errno: errno)
            }
            if count == 0 { break }
            EVP_DigestUpdate(hash, buffer.baseAddress, count)
            offset += off_t(count)
        }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(hash, &digest, nil) == 1 else {
            throw TransferProblem(.file, "libcrypto cannot make the sha256 of \(file.path)")
        }
        return digest.map { $0.digits(2, radix: 16) }.joined()
    }
}
