// SPDX-License-Identifier: Apache-2.0

/// The default routes and the links they go over, from the kernel's messages.
struct RouteTable: Hashable, Sendable {
    private struct Link: Hashable, Sendable {
        var name: String
        var isUp: Bool
    }

    private var links: [Int32: Link] = [:]
    private var routes: Set<Int32?> = []

    /// Takes one message. True: ask for the routes again, since a link that goes down takes its IPv4 routes in silence.
    mutating func take(_ message: RouteMessage) -> Bool {
        switch message {
        case .link(let index, let name, let isUp):
            let before = links.updateValue(Link(name: name, isUp: isUp), forKey: index)
            return before?.isUp != isUp
        case .linkGone(let index):
            return links.removeValue(forKey: index) != nil
        case .defaultRoute(let via):
            routes.insert(via)
            return false
        case .defaultRouteGone:
            return true
        case .done:
            return false
        }
    }

    /// Forgets the routes: the kernel is about to tell them all.
    mutating func forgetRoutes() { routes.removeAll() }

    var network: RoutedNetwork {
        if routes.contains(nil) { return RoutedNetwork(defaultRoute: "several interfaces") }
        let open = routes.compactMap { $0.flatMap { links[$0] } }.filter(\.isUp).map(\.name)
        return RoutedNetwork(defaultRoute: open.min())
    }
}
