// SPDX-License-Identifier: Apache-2.0

import CBGRunShims

/// The content of a NETLINK_ROUTE message about the routes out of this machine.
enum RouteMessage: Equatable, Sendable {
    case link(index: Int32, name: String, isUp: Bool)
    case linkGone(index: Int32)
    /// A default route; `via` is the index of its interface, nil for a multipath route.
    case defaultRoute(via: Int32?)
    case defaultRouteGone
    /// The answer to a request is complete.
    case done

    /// The relevant messages of one datagram; a damaged one ends the list.
    static func all(in datagram: ArraySlice<UInt8>) -> [RouteMessage] {
        var messages: [RouteMessage] = []
        var rest = datagram
        while let length = rest.integer(UInt32.self, at: 0),
            let type = rest.integer(UInt16.self, at: 4),
            length >= headerSize, Int(length) <= rest.count
        {
            // fits: at least the size of a header
            let body = rest.dropFirst(headerSize).prefix(Int(length) - headerSize)
            if let message = RouteMessage(type: Int(type), body) { messages.append(message) }
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return messages
    }

    private static let headerSize = 16

    private init?(type: Int, _ body: ArraySlice<UInt8>) {
        switch type {
        case Int(NLMSG_DONE), Int(NLMSG_ERROR): self = .done
        case Int(RTM_NEWLINK):
            guard let index = body.integer(Int32.self, at: 4),
                let flags = body.integer(UInt32.self, at: 8)
            else { return nil }
            let name = Self.attribute(IFLA_IFNAME, in: body.dropFirst(16))
            self = .link(
                index: index, name: String(decoding: name?.prefix { $0 != 0 } ?? [], as: UTF8.self),
                isUp: flags & Self.up == Self.up)
        case Int(RTM_DELLINK):
            guard let index = body.integer(Int32.self, at: 4) else { return nil }
            self = .linkGone(index: index)
        case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
            guard let kind = body.integer(UInt64.self, at: 0), Self.leadsEverywhere(kind) else {
                return nil
            }
            let interface = Self.attribute(RTA_OIF.rawValue, in: body.dropFirst(12))
            self =
                type == Int(RTM_NEWROUTE)
                ? .defaultRoute(via: interface?.integer(Int32.self, at: 0)) : .defaultRouteGone
        default: return nil
        }
    }

    /// IFF_UP and IFF_LOWER_UP: switched on, and with a carrier.
    private static let up: UInt32 = 1 | 1 << 16

    /// For struct rtmsg: prefix length 0, table main, type unicast. IPv6 often has "unreachable" default
    /// routes.
    private static func leadsEverywhere(_ rtmsg: UInt64) -> Bool {
        let bytes = withUnsafeBytes(of: rtmsg) { Array($0) }
        return bytes[1] == 0 && bytes[4] == 254 && bytes[7] == 1
    }

    private static func attribute(
        _ wanted: some BinaryInteger, in body: ArraySlice<UInt8>
    ) -> ArraySlice<UInt8>? {
        var rest = body
        while let length = rest.integer(UInt16.self, at: 0),
            let type = rest.integer(UInt16.self, at: 2), length >= 4, Int(length) <= rest.count
        {
            // fits: at least 4
            if Int(type) == Int(wanted) { return rest.dropFirst(4).prefix(Int(length) - 4) }
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return nil
    }

    // fits: at most the size of a datagram
    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// The integer, in the machine's byte order, that begins `offset` bytes after the start.
    fileprivate func integer<Value: FixedWidthInteger>(_: Value.Type, at offset: Int) -> Value? {
        let bytes = dropFirst(offset).prefix(MemoryLayout<Value>.size)
        guard bytes.count == MemoryLayout<Value>.size else { return nil }
        var value = Value.zero
        Swift.withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
        return value
    }
}
