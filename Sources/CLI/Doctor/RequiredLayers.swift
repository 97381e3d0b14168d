// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunManifest
import BGRunPolicy

/// Finds the tasks of a manifest whose attempts this machine would refuse. Tries the layers only if a task requires
/// them.
struct RequiredLayers {
    let manifest: Manifest

    var diagnostics: [Diagnostic] {
        let requiring = manifest.confinedTasks.filter {
            manifest.confinement(of: $0).enforcement == .require
        }
        guard !requiring.isEmpty, let worker = Installation().worker else { return [] }
        let layers = ConfinementSite(ofMachine: worker).machineLayers()
        return requiring.compactMap { task in
            let lacks = layers.lacks(manifest.confinement(of: task))
            guard !lacks.isEmpty else { return nil }
            return Diagnostic(
                severity: .warning, code: .missingLayer, file: manifest.path, mark: task.mark,
                message: "this machine refuses attempts of \"\(task.declaration.identifier)\": it "
                    + "lacks \(lacks.joined(separator: ", "))",
                remedy: "run it on another machine, or write `enforce: prefer`; `bgrun doctor` "
                    + "says how to get them")
        }
    }
}
