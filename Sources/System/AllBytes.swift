// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The bytes up to the end, or more than `limit` of them; nil, with the reason in `errno`, if reading fails.
package func readAll(_ descriptor: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { return nil }
        if count == 0 { break }
        bytes += chunk[..<count]
    }
    return bytes
}

/// Writes every byte, also to a non-blocking descriptor, by retrying. False, with the reason in `errno`, if
/// that fails.
package func writeAll(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
            var target = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&target, 1, -1)
            continue
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
    }
    return true
}
