// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunConfinement
import BGRunControl
import BGRunSystem
import Glibc

/// What a task's handler may do, of what was asked.
struct AccessReport: Encodable {
    var identifier: String
    var profile: String
    var access: [Item]

    struct Item: Encodable {
        var access: String
        var allowed: Bool
        /// What decides; the path of its rule, and the key of `confine` it comes from, if any.
        var reason: String
        var path: String?
        var key: String?
        /// The layers that deny it on this machine.
        var deniedBy: [String]
        /// Why nothing denies it on this machine.
        var notEnforced: String?
        /// The keys that would allow it, as YAML.
        var grant: String?
        /// What to do in place of a grant that gives more than a task needs.
        var advice: String?

        init(_ decision: AccessDecision) {
            access = decision.request.text
            allowed = decision.isAllowed
            reason = decision.reason
            path = decision.path
            key = decision.key
            deniedBy = decision.layers.map(\.rawValue)
            notEnforced = decision.weakness
            grant = decision.grant
            advice = decision.advice
        }
    }

    var text: String {
        (["\(identifier) (profile \(profile))"]
            + access.map { item in
                var lines = ["\(item.access): \(item.reason)"]
                if !item.deniedBy.isEmpty {
                    lines.append("denied by " + item.deniedBy.joined(separator: " and "))
                }
                if let reason = item.notEnforced {
                    lines.append("not enforced on this machine: \(reason)")
                }
                if let grant = item.grant { lines.append("would allow it: \(grant)") }
                if let advice = item.advice { lines.append(advice) }
                let mark = (item.allowed ? "ok" : "no").padded(to: 4)
                return mark + lines.joined(separator: "\n    ")
            }).map(Self.visible).joined(separator: "\n\n")
    }

    private static func visible(_ text: String) -> String {
        text.split(separator: "\n").map { LogText.visible(String($0)) }.joined(separator: "\n")
    }

    /// Relative paths start in the working directory.
    @Sendable
    static func request(_ text: String) throws -> AccessRequest {
        let home = getenv("HOME").map { String(cString: $0) }
        guard let request = AccessRequest(text, in: AbsolutePath.of("."), home: home) else {
            throw ValidationError(
                "\"\(text)\" is not an access; write \(AccessRequest.forms)")
        }
        return request
    }
}
