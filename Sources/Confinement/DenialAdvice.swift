// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Finds the line of a failed attempt's output that its confinement explains.
package struct DenialAdvice {
    let rules: AccessRules

    package init(_ rules: AccessRules) { self.rules = rules }

    /// The explanation of the last of these lines that reports what is not permitted; nil: the confinement explains
    /// none.
    package func text(for lines: [String]) -> String? {
        for line in lines.reversed() {
            if let denial = DenialLine(line), let decision = decision(on: denial) {
                return Self.text(decision)
            }
        }
        return nil
    }

    /// The decision that denies what the line reports; nil: it is allowed.
    func decision(on denial: DenialLine) -> AccessDecision? {
        let place = rules.view.resolve(denial.path)
        // A file that is there may have been read or written: the modes of one that may be read deny it as well.
        let access = denial.access ?? (place.exists ? .read : .write)
        let decision = rules.decision(on: .file(access, denial.path))
        // What a layer does not enforce has another cause.
        guard !decision.isAllowed, !decision.layers.isEmpty else { return nil }
        guard denial.isMissing else { return decision }
        // Missing for the handler, which does not see it.
        let isThere = place.exists || access == .write && place.existing != decision.path
        let isHidden = rules.layers.hasNamespaces && rules.isHidden(denial.path)
        return isThere && isHidden ? decision : nil
    }

    private static func text(_ decision: AccessDecision) -> String {
        guard case .file(let access, let path) = decision.request else { return "" }
        let grant =
            decision.grant.map { "; `\($0)` would allow it" } ?? decision.advice.map { "; \($0)" }
        return "confined: \(access.participle) \(path) is not permitted"
            + (grant ?? ": \(decision.reason)")
    }
}

extension AccessRules {
    /// Whether the rule of `path` hides it.
    fileprivate func isHidden(_ path: String) -> Bool {
        view.rules.nearest(to: view.resolve(path).path)?.rule == .hidden
    }
}
