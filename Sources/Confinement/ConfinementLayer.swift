// SPDX-License-Identifier: Apache-2.0

/// A layer of the kernel that enforces rules of a confinement.
package enum ConfinementLayer: String, CaseIterable, Sendable {
    case namespaces
    case landlock = "Landlock"
    case seccomp
}

extension MachineLayers {
    /// The layer's name, with the reason if it does not work here; nil if it works.
    func absence(of layer: ConfinementLayer) -> String? {
        switch layer {
        case .namespaces: namespaceProblem.map { "namespaces (\($0))" }
        case .landlock: landlock == 0 ? layer.rawValue : nil
        case .seccomp: hasSeccomp ? nil : layer.rawValue
        }
    }

    /// The layers that work here.
    package var present: [ConfinementLayer] {
        ConfinementLayer.allCases.filter { absence(of: $0) == nil }
    }
}
