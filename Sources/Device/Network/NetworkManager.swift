// SPDX-License-Identifier: Apache-2.0

enum NetworkManager {
    private static let path = "/org/freedesktop/NetworkManager"

    static func service(
        _ bus: BusConnection, changed: @escaping () -> Void
    ) -> BusService<ManagedNetwork> {
        let name = NetworkRule.manager
        return BusService(
            bus, name: name, below: path,
            reader: { bus, found in
                bus.properties(name, path, name) { found($0.map(ManagedNetwork.init)) }
            }, changed: changed)
    }
}

extension ManagedNetwork {
    init(_ properties: [String: BusValue]) {
        func number(_ name: String) -> UInt32 {
            properties[name]?.unsigned.flatMap { UInt32(exactly: $0) } ?? 0
        }
        self.init(
            state: number("State"), connectivity: number("Connectivity"),
            metered: number("Metered"),
            primaryType: properties["PrimaryConnectionType"]?.text ?? "")
    }
}
