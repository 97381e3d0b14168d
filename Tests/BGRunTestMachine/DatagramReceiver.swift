// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A datagram socket, as systemd and journald use it.
package final class DatagramReceiver: Sendable {
    /// The name in the notation of NOTIFY_SOCKET.
    package let name: String
    private let descriptor: Int32
    private let directory: String

    /// - Parameter isAbstract: Whether the name is abstract, without a file.
    package init(isAbstract: Bool) throws {
        directory = "/tmp/bgrun-service-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false)
        name = (isAbstract ? "@" : "") + directory + "/socket"
        descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = isAbstract ? [0] + Array(name.utf8.dropFirst()) : Array(name.utf8) + [0]
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size)
            }
        }
        guard bound == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit {
        close(descriptor)
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The received datagrams.
    package var datagrams: [[UInt8]] {
        var all: [[UInt8]] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            guard count >= 0 else { return all }
            all.append(Array(buffer[..<count]))
        }
    }

    package var texts: [String] { datagrams.map { String(decoding: $0, as: UTF8.self) } }
}
