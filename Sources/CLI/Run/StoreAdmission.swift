// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunStorage

/// Accepts requests where no host runs: the rule a host goes by, with facts from the store.
struct StoreAdmission {
    private let rule: AdmissionRule
    private let store: Store

    init(_ manifest: Manifest, _ store: Store) {
        rule = manifest.admissionRule
        self.store = store
    }

    func declaration(for identifier: String) -> TaskDeclaration? {
        rule.declaration(for: identifier)
    }

    /// The request that `submission` makes, to be stored; or why it makes none.
    func request(
        _ submission: Submission, at now: WallTime
    ) throws(StoreError) -> Result<TaskRequest, Refusal> {
        let pending = try store.request(submission.identifier)
        var counts: [TaskKind: Int] = [:]
        for kind in TaskKind.allCases { counts[kind] = try store.pendingCount(kind: kind) }
        let declaration: TaskDeclaration
        do throws(Refusal) {
            declaration = try rule.admit(submission.identifier) { kind in
                AdmissionRule.Facts(
                    isPending: pending != nil, runningAttempt: nil, pendingOfKind: counts[kind] ?? 0
                )
            }
        } catch {
            return .failure(error)
        }
        guard declaration.kind != .continued || declaration.strategy != .fail else {
            return .failure(
                .notImmediately(
                    identifier: submission.identifier, reason: "no host is running"))
        }
        var request = TaskRequest(id: try store.nextRequestID(), submission, declaration, now: now)
        request.follow(pending, now: now)
        return .success(request)
    }
}

extension Manifest {
    fileprivate var admissionRule: AdmissionRule {
        let configuration = engineConfiguration
        return AdmissionRule(
            permitted: configuration.permitted, declarations: configuration.declarations,
            modes: configuration.modes, policy: configuration.policy)
    }

    /// Ends the command unless the manifest admits requests of `identifier`, whatever runs and waits.
    func requireAdmitted(_ identifier: String) throws(Refusal) {
        _ = try admissionRule.admit(identifier) { _ in
            AdmissionRule.Facts(isPending: true, runningAttempt: nil, pendingOfKind: 0)
        }
    }
}
