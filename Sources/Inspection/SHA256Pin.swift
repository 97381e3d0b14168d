// SPDX-License-Identifier: Apache-2.0

import CMD
import Glibc

/// The digest that a manifest may pin a plugin to.
enum SHA256Pin {
    static func check(_ pin: String, of descriptor: Int32) throws(FailedCheck) {
        guard pin.utf8.count == 64, pin.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw FailedCheck(
                check: .sha256, expected: "64 hexadecimal digits", found: "\"\(pin)\"",
                remedy: "write what sha256sum prints for the file")
        }
        let digest = try digest(of: descriptor)
        guard digest == pin.lowercased() else {
            throw FailedCheck(
                check: .sha256, expected: pin.lowercased(), found: digest,
                remedy: "find out why the file changed; if you changed it, write the new sha256")
        }
    }

    /// Reads the file from its start, regardless of the descriptor's position.
    static func digest(of descriptor: Int32) throws(FailedCheck) -> String {
        var hash = SHA2_CTX()
        SHA256Init(&hash)
        let size = 256 * 1024
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        var offset: off_t = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, size, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw FailedCheck(
                    check: .readable, expected: "a file that can be read to its end",
                    found: "\"\(String(cString: strerror(errno)))\" at byte \(offset)",
                    remedy: "check the disk, then copy the file again")
            }
            if count == 0 { break }
            SHA256Update(&hash, buffer.baseAddress, count)
            offset += off_t(count)
        }
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        SHA256Final(&digest, &hash)
        return digest.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }
}
