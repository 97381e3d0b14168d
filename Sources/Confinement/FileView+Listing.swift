// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

extension FileView {
    /// The paths that keys of `confine` show, and those that the profile and the app show beside them, in order.
    package func shown(writable: Bool) -> (granted: [String], others: [String]) {
        var shown: (granted: [String], others: [String]) = ([], [])
        for (path, rule) in rules.ordered {
            guard case .shown(let isWritable, _) = rule, isWritable == writable else { continue }
            if origins[path]?.isGrant == true {
                shown.granted.append(path)
            } else if !isCommon(path, writable: writable) {
                shown.others.append(path)
            }
        }
        return shown
    }

    /// Whether the directory of `path` has the same rights.
    private func isCommon(_ path: String, writable: Bool) -> Bool {
        guard let parent = FileRules.parent(of: path),
            case .shown(let isWritable, _)? = rules.nearest(to: parent)?.rule
        else { return false }
        return isWritable == writable
    }

    /// The paths with an empty directory of the worker's own.
    package var ownDirectories: [String] {
        rules.ordered.compactMap { path, rule in
            if case .temporary = rule { path } else { nil }
        }
    }
}
