// SPDX-License-Identifier: Apache-2.0

/// The default routes and their links, from the kernel's messages.
struct RouteTable: Equatable, Sendable {
    private struct Link: Equatable, Sendable {
        var name: String
        var isUp: Bool
    }

    private var links: [Int32: Link] = [:]
    private var routes: Set<Int32?> = []

    /// Applies one message. True: request the routes again, because the kernel does not announce the removal of IPv4
    /// routes with their link.
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

    /// Removes all routes before the kernel sends them again.
    mutating func forgetRoutes() { routes.removeAll() }

    var network: RoutedNetwork {
        if routes.contains(nil) { return RoutedNetwork(defaultRoute: "several interfaces") }
        let open = routes.compactMap { $0.flatMap { links[$0] } }.filter(\.isUp).map(\.name)
        return RoutedNetwork(defaultRoute: open.min())
    }
}
