// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunControl
import BGRunManifest
import BGRunStorage
import Glibc

extension AppExplanation {
    /// The number of last lines that may have the reason of a failure.
    private static let lines = 20

    /// What its confinement denied to its last attempt, if that failed and its output shows it. A
    /// hint only: nil also if the store or the layers cannot be read.
    func denial() -> String? {
        guard let task = manifest.task(for: identifier), manifest.isConfined(task),
            // A member of the control group may ask the host, but not read its files.
            access(state.path, R_OK) == 0, let store = try? state.storeToRead(),
            let last = try? store.history(identifier: identifier, limit: 1).first,
            last.outcome.isFailure == true
        else { return nil }
        guard let lines = try? store.lastOutput(attempt: last.attempt, limit: Self.lines),
            // Most failures have another reason: the machine is not probed for them.
            lines.contains(where: { DenialLine($0) != nil }),
            let app = try? AppConfinement(manifest, state)
        else { return nil }
        return DenialAdvice(app.rules(of: task)).text(for: lines)
    }
}
