// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc
import Synchronization

/// Ports of the loopback address for programs that cannot choose one themselves.
enum FreePort {
    private static let given = Mutex<Set<UInt16>>([])

    /// A free port that no other test of this process gets. It is below the range from which the kernel
    /// assigns ports.
    static func next() -> Int {
        given.withLock { given in
            while true {
                let port = UInt16.random(in: 20_000...29_999)
                if !given.contains(port), isFree(port) {
                    given.insert(port)
                    return Int(port)
                }
            }
        }
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let socket = SocketName.stream(AF_INET)
        defer { close(socket) }
        return SocketName.with(host: "127.0.0.1", port: port) { bind(socket, $0, $1) } == 0
    }
}
