// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The state of NetworkManager. The numbers are NMState, NMConnectivityState and NMMetered.
struct ManagedNetwork: Equatable, Sendable {
    var state: UInt32
    var connectivity: UInt32
    var metered: UInt32
    /// 802-11-wireless, 802-3-ethernet, gsm; "" without a connection.
    var primaryType: String
}

/// The state of the kernel's routing tables.
struct RoutedNetwork: Equatable, Sendable {
    /// The interface of a default route with an active link; nil without one.
    var defaultRoute: String?
}

/// Network, metering and connectivity: prefers NetworkManager, and uses the kernel for networks that it
/// does not manage.
enum NetworkRule {
    static let manager = "org.freedesktop.NetworkManager"
    static let routes = "rtnetlink"

    typealias Findings = (
        network: Finding<Reading>, metered: Finding<Metered>, connectivity: Finding<Connectivity>
    )

    static func findings(_ managed: ManagedNetwork?, _ routed: RoutedNetwork?) -> Findings {
        if let managed, managed.isConnected || routed?.defaultRoute == nil {
            return byManager(managed)
        }
        return byRoutes(routed, managerIsThere: managed != nil)
    }

    private static func byManager(_ managed: ManagedNetwork) -> Findings {
        let connectivity = managed.reach
        let via = managed.primaryType.isEmpty ? "" : " over \(managed.primaryType)"
        return (
            network: network(managed, connectivity, via),
            metered: managed.isConnected
                ? metered(managed)
                : Finding(.unknown, from: manager, .unknown, because: "no connection"),
            connectivity: Finding(
                connectivity, from: manager, connectivity == .unknown ? .unknown : .measured,
                because: connectivity == .unknown
                    ? "NetworkManager has not checked" : "NetworkManager's connectivity check")
        )
    }

    private static func network(
        _ managed: ManagedNetwork, _ connectivity: Connectivity, _ via: String
    ) -> Finding<Reading> {
        func say(_ value: Reading, _ confidence: Confidence, _ because: String) -> Finding<Reading>
        {
            Finding(value, from: manager, confidence, because: because)
        }
        guard managed.isConnected else {
            return say(.no, .measured, "NetworkManager has no connection")
        }
        return switch connectivity {
        case .full: say(.yes, .measured, "connected\(via), and the Internet was reached")
        case .portal: say(.no, .measured, "connected\(via), but a login page is in the way")
        case .limited: say(.no, .measured, "connected\(via), but the Internet was not reached")
        case .none: say(.no, .measured, "NetworkManager's check reached nothing")
        case .unknown:
            managed.state >= 70
                ? say(.yes, .derived, "connected\(via); its reach is not checked")
                : say(.no, .derived, "connected\(via), but to this site only")
        }
    }

    private static func metered(_ managed: ManagedNetwork) -> Finding<Metered> {
        let said = "the connection says so"
        let guessed = "NetworkManager guesses by the kind of connection"
        let (value, confidence, because): (Metered, Confidence, String) =
            switch managed.metered {
            case 1: (.yes, .measured, said)
            case 2: (.no, .measured, said)
            case 3: (.guessYes, .derived, guessed)
            case 4: (.guessNo, .derived, guessed)
            default: (.unknown, .unknown, "NetworkManager cannot tell; set connection.metered")
            }
        return Finding(value, from: manager, confidence, because: because)
    }

    private static func byRoutes(_ routed: RoutedNetwork?, managerIsThere: Bool) -> Findings {
        let network: Finding<Reading>
        if let interface = routed?.defaultRoute {
            let unmanaged = managerIsThere ? ", which NetworkManager does not manage" : ""
            network = Finding(
                .yes, from: routes, .derived,
                because: "a default route goes over \(interface)\(unmanaged)")
        } else if routed != nil {
            network = Finding(.no, from: routes, .derived, because: "the default route is missing")
        } else {
            network = Finding(
                .unknown, from: "none", .unknown,
                because: "neither NetworkManager nor the kernel's routes can be read")
        }
        let metered = Finding(
            Metered.unknown, from: routes, .unknown,
            because: "only NetworkManager knows; state `network` in `device:`")
        let connectivity = Finding(
            Connectivity.unknown, from: routes, .unknown, because: "only NetworkManager checks it")
        return (network, metered, connectivity)
    }
}

extension ManagedNetwork {
    /// NM_STATE_CONNECTED_LOCAL and above.
    fileprivate var isConnected: Bool { state >= 50 }

    fileprivate var reach: Connectivity {
        switch connectivity {
        case 1: .none
        case 2: .portal
        case 3: .limited
        case 4: .full
        default: .unknown
        }
    }
}
