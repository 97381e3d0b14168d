// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims

/// Updates a `RouteTable` from the kernel's messages, without redundant requests.
final class RouteTracker {
    private static let groups: UInt32 = [
        RTNLGRP_LINK, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
    ].reduce(0) { $0 | 1 << (UInt32($1.rawValue) - 1) }

    private var socket: NetlinkSocket?
    private var table = RouteTable()
    private let changed: () -> Void
    private var phase = Phase.links
    /// Whether the answer in progress is already out of date.
    private var mustAskAgain = false

    private enum Phase {
        /// The kernel sends all links.
        case links
        /// The kernel sends all routes.
        case routes
        /// The kernel sends changes.
        case listening
    }

    /// `changed` is called when `network` becomes known, and after each change.
    init(_ loop: EventLoop, changed: @escaping () -> Void) throws(SystemFailure) {
        self.changed = changed
        socket = try NetlinkSocket(loop, protocol: NETLINK_ROUTE, groups: Self.groups) {
            [unowned self] in receive($0)
        }
        ask()
    }

    /// Nil until the kernel has sent everything once.
    private(set) var network: RoutedNetwork?

    /// Handles one datagram; nil: some were lost.
    func receive(_ datagram: ArraySlice<UInt8>?) {
        guard let datagram else {
            mustAskAgain = true
            if phase == .listening { ask() }
            return
        }
        for message in RouteMessage.all(in: datagram) {
            if message == .done {
                finishPhase()
            } else if table.take(message), phase != .links {
                mustAskAgain = true
            }
        }
        guard phase == .listening else { return }
        if mustAskAgain { ask() } else { publish() }
    }

    private func ask() {
        mustAskAgain = false
        phase = .links
        socket?.requestDump(of: UInt16(RTM_GETLINK))
    }

    private func finishPhase() {
        switch phase {
        case .links:
            phase = .routes
            table.forgetRoutes()
            socket?.requestDump(of: UInt16(RTM_GETROUTE))
        case .routes: phase = .listening
        case .listening: break
        }
    }

    private func publish() {
        guard network != table.network else { return }
        network = table.network
        changed()
    }
}
