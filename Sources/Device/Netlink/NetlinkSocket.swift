// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import Glibc

/// Receives the kernel's netlink messages; ignores those of other processes.
final class NetlinkSocket {
    private let descriptor: WatchedDescriptor
    private static let longest = 256 << 10

    /// `received` is called with each datagram, and with nil after a loss of datagrams.
    init(
        _ loop: EventLoop, protocol family: Int32, groups: UInt32,
        received: @escaping (ArraySlice<UInt8>?) -> Void
    ) throws(SystemFailure) {
        let socket = bgrun_netlink_open(family, groups)
        guard socket >= 0 else { throw SystemFailure("netlink", code: -socket) }
        descriptor = try WatchedDescriptor(loop, socket) {
            NetlinkSocket.receive(from: $0, received)
        }
    }

    /// Requests all entries of one type, RTM_GETLINK or RTM_GETROUTE.
    func requestDump(of type: UInt16) { bgrun_netlink_dump(descriptor.number, type) }

    private static func receive(
        from socket: Int32, _ received: (ArraySlice<UInt8>?) -> Void
    ) {
        // Only the part that a datagram fills is accessed.
        withUnsafeTemporaryAllocation(byteCount: longest, alignment: 8) { buffer in
            while true {
                let length = bgrun_netlink_receive(socket, buffer.baseAddress, buffer.count)
                switch length {
                case 0...: received(ArraySlice(buffer[..<Int(length)]))
                case -ENOBUFS, -EMSGSIZE: received(nil)
                default: return
                }
            }
        }
    }
}
