// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The layers of confinement that this machine has.
package struct MachineLayers: Equatable, Sendable {
    /// Mount, PID and IPC namespaces, for an ordinary user with a user namespace; nil: they work, otherwise the reason.
    package var namespaceProblem: String?
    /// The version of Landlock's ABI; 0: none.
    package var landlock: Int
    package var hasSeccomp: Bool

    package init(namespaceProblem: String?, landlock: Int, hasSeccomp: Bool) {
        self.namespaceProblem = namespaceProblem
        self.landlock = landlock
        self.hasSeccomp = hasSeccomp
    }

    package var hasNamespaces: Bool { namespaceProblem == nil }
    package var hasPorts: Bool { landlock >= 4 }

    /// What this confinement needs and the machine lacks, in words.
    package func lacks(_ confinement: Confinement) -> [String] {
        var lacks: [String] = []
        if let namespaceProblem { lacks.append("namespaces (\(namespaceProblem))") }
        if landlock == 0 { lacks.append("Landlock") }
        if !hasSeccomp { lacks.append("seccomp") }
        let network = confinement.network
        // Without internet sockets there are no ports to limit.
        let limitsPorts = network.connect?.isEmpty == false || network.listen != nil
        if limitsPorts, !hasPorts, !confinement.isOffline {
            lacks.append("limits of TCP ports (Landlock ABI 4, from Linux 6.7 on)")
        }
        if landlock < 6, !(confinement.isOffline && hasNamespaces) {
            lacks.append("limits of abstract sockets (Landlock ABI 6, from Linux 6.12 on)")
        }
        return lacks
    }

    /// Whether a maximum of processes and threads has an effect. The kernel counts those of a user, but not root's; a
    /// user namespace has a count of its own.
    func limitsTasks(isRoot: Bool) -> Bool { hasNamespaces && !isRoot }

    /// The keys of `confine` for limits that have no effect here, with the reason.
    package func notLimited(isRoot: Bool) -> [String: String] {
        var reasons: [String: String] = [:]
        if !hasNamespaces { reasons["temporary"] = "namespaces do not work" }
        if !limitsTasks(isRoot: isRoot) {
            reasons["tasks"] = hasNamespaces ? "it runs as root" : "namespaces do not work"
        }
        return reasons
    }

    /// The names of layers for tests, in BGRUN_CONFINE_WITHOUT.
    package func without(_ names: [String]) -> MachineLayers {
        var layers = self
        if names.contains("namespaces") { layers.namespaceProblem = "BGRUN_CONFINE_WITHOUT" }
        if names.contains("landlock") { layers.landlock = 0 }
        if names.contains("seccomp") { layers.hasSeccomp = false }
        return layers
    }
}

extension Confinement {
    /// Whether it permits no socket of the internet.
    package var isOffline: Bool { network == .none }
}
