// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Counts the open connections, in total and per address.
struct ConnectionSlots {
    private let most: Int
    private let mostOfOne: Int
    private var taken: [PeerAddress: Int] = [:]

    init(_ most: Int, ofOneAddress mostOfOne: Int) {
        self.most = most
        self.mostOfOne = mostOfOne
    }

    /// False if all slots, or all slots of `address`, are taken.
    mutating func take(_ address: PeerAddress) -> Bool {
        guard taken.values.reduce(0, +) < most, taken[address, default: 0] < mostOfOne else {
            return false
        }
        // fits: at most `most`
        taken[address, default: 0] += 1
        return true
    }

    mutating func give(_ address: PeerAddress) {
        let rest = taken[address, default: 0] - 1
        taken[address] = rest > 0 ? rest : nil
    }
}

/// The origin of a client: addresses in the same IPv6 /64 network count as one, as do the loopback
/// addresses of this machine, and all clients of a UNIX socket. An IPv4 address mapped into IPv6 counts
/// as itself.
struct PeerAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    init(bytes: [UInt8] = []) { self.bytes = bytes }

    init(of descriptor: Int32) {
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &size)
            }
        }
        guard code == 0 else {
            self.init()
            return
        }
        let address = withUnsafeBytes(of: name) { raw in
            switch Int32(name.sin6_family) {  // fits: 16 bits
            // Follows the family and the port.
            case AF_INET: Array(raw[4..<8])
            // Follows the flow label, too.
            case AF_INET6: Array(raw[8..<24])
            default: [UInt8]()
            }
        }
        self.init(internet: address)
    }

    /// The origin for the 4 or 16 bytes of an address; if empty, that of a UNIX socket.
    init(internet address: [UInt8]) {
        let zeros = [UInt8](repeating: 0, count: 10)
        let isMapped = address.count == 16 && address.starts(with: zeros + [255, 255])
        let address = isMapped ? Array(address.suffix(4)) : address
        let isLoopback =
            address.count == 4 ? address[0] == 127 : address == zeros + [0, 0, 0, 0, 0, 1]
        self.init(bytes: isLoopback ? [127, 0, 0, 1] : Array(address.prefix(8)))
    }
}
