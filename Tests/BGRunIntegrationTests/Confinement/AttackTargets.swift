// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Glibc
import Testing

/// Sockets of this process on which nothing answers: by a path, by an abstract name, and of the loopback address.
final class AttackTargets {
    let socket: String
    let abstract: String
    let port: Int
    private var descriptors: [Int32] = []

    init(socket: String, abstract: String) throws {
        self.socket = socket
        self.abstract = abstract
        port = FreePort.next()
        try listen(AF_UNIX) { made in SocketName.with(path: socket) { bind(made, $0, $1) } }
        chmod(socket, 0o777)
        // The name of an abstract socket is as long as its address.
        let size = MemoryLayout<sa_family_t>.size + 1 + abstract.utf8.count
        try listen(AF_UNIX) { made in
            SocketName.with(path: "\0" + abstract) { name, _ in bind(made, name, socklen_t(size)) }
        }
        let port = UInt16(port)
        try listen(AF_INET) { made in
            SocketName.with(host: "127.0.0.1", port: port) { bind(made, $0, $1) }
        }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    private func listen(_ family: Int32, bind: (Int32) -> Int32) throws {
        let made = SocketName.stream(family)
        try #require(made >= 0)
        descriptors.append(made)
        try #require(bind(made) == 0 && Glibc.listen(made, 64) == 0, "errno \(errno)")
    }
}
