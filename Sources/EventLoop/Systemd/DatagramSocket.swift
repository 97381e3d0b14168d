// SPDX-License-Identifier: Apache-2.0

import CBGRunShims
import Glibc

/// Sends datagrams to a UNIX socket: at a path, or with an abstract name that begins with `@`.
/// Belongs to one thread.
final class DatagramSocket {
    private let descriptor: Int32
    private let address: [UInt8]

    /// Nil if the address is invalid, or no descriptor is free.
    init?(_ name: String) {
        let bytes = Array(name.utf8)
        let longest = MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"),
            (2..<longest).contains(bytes.count), !bytes.contains(0)
        else { return nil }
        let family = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) }
        // An abstract name ends with the address, a path with a zero byte.
        address =
            first == UInt8(ascii: "@") ? family + [0] + bytes.dropFirst() : family + bytes + [0]
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // A stopped receiver must not block this process for long.
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// 0, or the errno of the failure.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int32 {
        address.withUnsafeBytes { address in
            guard let base = address.bindMemory(to: sockaddr.self).baseAddress else {
                return EINVAL
            }
            while true {
                let count = sendto(
                    descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), base,
                    socklen_t(address.count))
                if count >= 0 { return 0 }
                if errno != EINTR { return errno }
            }
        }
    }
}
