// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy

/// Silent pushes: messages that submit a task.
package enum Pushes {
    /// - Parameter isListening: Whether to open the sources of the manifest; false if a scenario supplies the events.
    package static func feature(isListening: Bool = true) -> HostFeatureMaker {
        { try PushesFeature($0, $1, isListening: isListening) }
    }
}

/// Receives the result of a message; called once.
package typealias PushAnswerer = (Result<PushReceipt, PushRefusal>) -> Void

extension Host {
    private var pushes: PushesFeature? { feature() }

    /// Accepts a message from `source`; calls `answer` once, when the message is on disk or refused.
    package func push(_ offer: PushOffer, from source: String, _ answer: @escaping PushAnswerer) {
        pushes?.push(offer, from: source, answer)
    }

    /// Refuses and records a message that a source could not even offer.
    package func refuse(
        _ refusal: PushRefusal, _ identifier: String, from source: String,
        _ answer: @escaping PushAnswerer
    ) {
        pushes?.refuse(refusal, identifier, from: source, answer)
    }
}
