// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunManifest
import BGRunPolicy

extension AppDoctor {
    /// The layers of this machine, and the tasks that are refused without one.
    var confinement: [DoctorFinding] {
        let confined = manifest.confinedTasks
        guard !confined.isEmpty else { return [.ok(.confine, "no task is confined")] }
        // A missing worker is a finding of its own.
        guard let app = try? AppConfinement(manifest, state) else { return [] }
        let findings = ConfinementDoctor(layers: app.layers).findings
        let refused = confined.first { task in
            let confinement = manifest.confinement(of: task)
            return confinement.enforcement == .require && !app.layers.lacks(confinement).isEmpty
        }
        guard let refused else { return findings }
        return findings + [
            .fail(
                .confine,
                "\(refused.declaration.identifier) requires what this machine lacks",
                "its attempts are refused",
                next: "bgrun permissions \(options) \(refused.declaration.identifier)")
        ]
    }
}
