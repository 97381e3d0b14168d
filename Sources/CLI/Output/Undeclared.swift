// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

extension Manifest {
    /// Says that no task has that identifier, when none has: there may be attempts from before the
    /// manifest was changed, or it may be a typo.
    func pointOut(undeclared identifier: String) {
        guard task(for: identifier) == nil else { return }
        let declared = tasks.map(\.declaration.identifier)
        let nearest = NearMiss.nearest(to: identifier, among: declared)
        complain(
            "the manifest has no task with identifier \(identifier)"
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
}
