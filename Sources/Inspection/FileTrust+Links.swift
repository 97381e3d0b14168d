// SPDX-License-Identifier: Apache-2.0

import BGRunSystem

extension FileTrust {
    /// Checks the owners of the symbolic links in `path`: a user that can change a link chooses the file.
    func checkLinks(on path: String) throws(FailedCheck) {
        for step in PathWalk(path) where step.isLink {
            guard let owner = step.owner else { continue }
            try checkLink(step.path, owner: owner)
        }
    }
}
