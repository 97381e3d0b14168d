// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHost
import BGRunManifest
import Glibc

/// A socket that listens but never accepts. Removes its file at the end if it is still its own.
final class TriggerSocket {
    private(set) var address: SocketAddress
    let descriptor: Int32
    private var file: (device: dev_t, inode: ino_t)?

    struct Failure: Error {
        /// The problem and the remedy.
        var message: String

        init(_ message: String) { self.message = message }
    }

    /// Connections the kernel keeps for a handler that has not accepted them yet; it may keep fewer
    /// (net.core.somaxconn).
    private static let backlog: Int32 = 4096

    init(_ address: SocketAddress) throws(Failure) {
        self.address = address
        switch address {
        case .unix(let path, let mode):
            try Self.prepareFile(at: path)
            descriptor = try Self.socket(AF_UNIX)
            try check("bind", SocketName.with(path: path) { Glibc.bind(descriptor, $0, $1) })
            file = Self.file(at: path)
            // No program can connect before `listen`, regardless of the mode until then.
            try check("chmod", chmod(path, mode))
        case .tcp(let host, let port):
            descriptor = try Self.socket(host.contains(":") ? AF_INET6 : AF_INET)
            try check("bind", Self.bind(descriptor, host: host, port: port))
        }
        try check("listen", listen(descriptor, Self.backlog))
    }

    deinit {
        close(descriptor)
        guard case .unix(let path, _) = address, let file, let now = Self.file(at: path),
            now == file
        else { return }
        unlink(path)
    }

    /// Continues at the same address with another mode.
    func change(to next: SocketAddress) throws(Failure) {
        guard next != address, case .unix(let path, let mode) = next else { return }
        address = next
        try check("chmod", chmod(path, mode))
    }

    /// Handlers expect a blocking socket: the flag is shared, and an earlier handler may have changed it.
    func makeBlocking() { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) }

    private func check(_ call: String, _ result: Int32) throws(Failure) {
        guard result != 0 else { return }
        throw Failure("\(call): \(String(cString: strerror(errno)))")
    }

    // MARK: the file

    /// Checks that no other user can replace the socket, and removes one that a dead host left.
    private static func prepareFile(at path: String) throws(Failure) {
        let directory = path.lastIndex(of: "/").map { path[..<$0] } ?? ""
        var status = stat()
        guard stat(directory.isEmpty ? "/" : String(directory), &status) == 0 else {
            throw Failure("\(directory): \(String(cString: strerror(errno)))")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0 || status.st_mode & S_ISVTX != 0
        else {
            throw Failure("others may write to \(directory); choose a directory of your own")
        }
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            throw Failure("there is something else already, and it is left alone; remove it")
        }
        let probe = try socket(AF_UNIX)
        defer { close(probe) }
        _ = fcntl(probe, F_SETFL, O_NONBLOCK)
        let isDead =
            SocketName.with(path: path) { connect(probe, $0, $1) } < 0 && errno == ECONNREFUSED
        guard isDead else {
            throw Failure("another process listens there; stop it, or choose another path")
        }
        unlink(path)
    }

    private static func file(at path: String) -> (device: dev_t, inode: ino_t)? {
        var status = stat()
        return lstat(path, &status) == 0 ? (status.st_dev, status.st_ino) : nil
    }

    // MARK: addresses

    private static func socket(_ family: Int32) throws(Failure) -> Int32 {
        let descriptor = SocketName.stream(family)
        guard descriptor >= 0 else { throw Failure("socket: \(String(cString: strerror(errno)))") }
        return descriptor
    }

    private static func bind(_ descriptor: Int32, host: String, port: UInt16) -> Int32 {
        var yes: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        // Closing connections of an earlier host do not block the address.
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, length)
        if host.contains(":") {
            // `[::]` means all of IPv6 and no IPv4, regardless of the machine's default.
            setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, length)
        }
        return SocketName.with(host: host, port: port) { Glibc.bind(descriptor, $0, $1) }
    }
}
