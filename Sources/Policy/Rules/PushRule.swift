// SPDX-License-Identifier: Apache-2.0

/// Whether a message is an acceptable silent push (Apple: "Pushing background updates to your app").
package enum PushRule {
    /// APNs: 5, "based on power considerations"; 10 is an error for a push without a visible notification.
    package static let silentPriority = 5
    /// APNs: 4 KB.
    package static let longestPayload = 4_096
    /// APNs: 64 bytes.
    static let longestCollapseID = 64

    /// Refuses a message that is not a silent push, in the order in which a sender would correct it.
    /// `declaration` is the task's, nil if no task handles the identifier: `AdmissionRule` refuses that.
    package static func check(
        _ offer: PushOffer, declaration: TaskDeclaration?, refreshSwitch: RefreshSwitch,
        now: WallTime
    ) throws(PushRefusal) {
        guard offer.payloadBytes > 0 else { throw .payloadEmpty }
        guard offer.payloadBytes <= longestPayload, offer.payload.utf8.count <= longestPayload
        else { throw .payloadTooLarge(bytes: max(offer.payloadBytes, offer.payload.utf8.count)) }
        guard let aps = offer.aps, aps.isContentAvailable else { throw .notSilent }
        guard aps.shown.isEmpty else { throw .shows(aps.shown) }
        guard offer.priority == silentPriority else {
            throw offer.lacksPriority ? .missingPriority : .badPriority(offer.priority)
        }
        if let id = offer.collapseID, !(1...longestCollapseID).contains(id.utf8.count) {
            throw .badCollapseID
        }
        if let expires = offer.expires, expires <= now { throw .badExpiration }
        if let declaration, declaration.kind != .push {
            throw .notPush(identifier: offer.identifier, kind: declaration.kind)
        }
        guard refreshSwitch == .available else { throw .refreshSwitchedOff(refreshSwitch) }
    }
}
