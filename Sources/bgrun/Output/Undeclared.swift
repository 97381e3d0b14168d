// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunManifest

extension Manifest {
    /// Says that no task has that identifier, when none has: there may be attempts from before the
    /// manifest was changed, or it may be a slip of the pen.
    func pointOut(undeclared identifier: String) {
        let declared = tasks.map(\.declaration.identifier)
        guard !IdentifierRule(permitting: declared).permits(identifier) else { return }
        let nearest = NearMiss.nearest(to: identifier, among: declared)
        complain(
            "the manifest has no task with identifier \(identifier)"
                + (nearest.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
}
