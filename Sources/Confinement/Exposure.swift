// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// How much a hostile handler of a task could reach, from 0.0 to 10.0: the sum of its facts. A further grant never
/// lowers it.
package struct Exposure: Equatable, Sendable {
    package struct Item: Equatable, Sendable {
        /// In tenths of a point.
        package var tenths: Int
        /// The name of the fact, for programs.
        package var name: String
        /// For people.
        package var text: String
    }

    /// The heaviest first.
    package private(set) var items: [Item] = []

    /// In tenths of a point, 0 to 100.
    package var tenths: Int { min(100, items.reduce(0) { $0 + $1.tenths }) }

    package var score: String { "\(tenths / 10).\(tenths % 10)" }

    /// With the limits of `systemd-analyze security`.
    package var word: String {
        switch tenths {
        case ..<50: "OK"
        case ..<75: "MEDIUM"
        case ..<90: "EXPOSED"
        default: "UNSAFE"
        }
    }

    /// - Parameters:
    ///   - homes: The home directories of this machine.
    ///   - layers: Those of this machine.
    package init(_ confinement: Confinement, homes: [String], _ layers: MachineLayers) {
        guard confinement.profile != .none else {
            add(.unconfined)
            return
        }
        guard !layers.present.isEmpty || confinement.enforcement == .require else {
            add(.noLayer)
            return
        }
        let places = GrantedPlaces(homes: homes)
        add(.readsSystem)
        if confinement.profile != .strict { add(.manifestDirectory) }
        add(confinement.write.map { (places.fact(writing: $0), $0) })
        add(confinement.read.map { (places.fact(reading: $0), $0) })
        add(confinement.sockets.map { (places.fact(socket: $0), $0) })
        add(confinement.devices.map { (places.fact(device: $0), $0) })
        addNetwork(confinement, layers)
        addLimits(confinement)
        add(confinement.keptVariables.map { (.variables, $0) })
        // With `require`, attempts are refused instead.
        if confinement.enforcement == .prefer {
            add(.prefer)
            if !layers.hasNamespaces { add(.withoutNamespaces) }
            if layers.landlock == 0 { add(.withoutLandlock) }
            if !layers.hasSeccomp { add(.withoutSeccomp) }
        }
        items.sort { ($1.tenths, $0.text) < ($0.tenths, $1.text) }
    }

    private mutating func addNetwork(_ confinement: Confinement, _ layers: MachineLayers) {
        guard !confinement.isOffline else { return }
        let network = confinement.network
        // Ports that nothing limits are granted.
        let limits = layers.hasPorts || confinement.enforcement == .require
        if network.connect == nil || !limits {
            add(.anyConnection)
        } else if network.connect != [] {
            add(.someConnections)
        }
        if network.listen == nil || !limits {
            add(.anyListening)
        } else if network.listen != [] {
            add(.someListening)
        }
        if network.udp { add(.udp) }
    }

    private mutating func addLimits(_ confinement: Confinement) {
        if confinement.memory == nil { add(.memory) }
        if confinement.processorTime == nil { add(.processorTime) }
        if confinement.fileSize == nil { add(.fileSize) }
        if confinement.reuse == .warm { add(.warm) }
    }

    private mutating func add(_ fact: ExposureFact) {
        items.append(Item(tenths: fact.weight, name: fact.rawValue, text: fact.text))
    }

    /// Adds grants, those of one kind up to its maximum.
    private mutating func add(_ grants: [(fact: ExposureFact, name: String)]) {
        var sums: [ExposureFact: Int] = [:]
        for grant in grants {
            let before = sums[grant.fact] ?? 0
            // fits: at most the maximum of the kind
            let tenths = min(grant.fact.weight, grant.fact.most - before)
            sums[grant.fact] = before + tenths  // fits: see above
            items.append(
                Item(
                    tenths: tenths, name: grant.fact.rawValue,
                    text: "\(grant.fact.text) \(grant.name)"))
        }
    }
}
