// SPDX-License-Identifier: Apache-2.0

import BGRunHost
import BGRunPolicy

/// Silent pushes: messages that submit a task.
package enum Pushes {
    /// - Parameter isListening: Whether the sources of the manifest are opened; not where a scenario says what
    ///   happens.
    package static func feature(isListening: Bool = true) -> HostFeatureMaker {
        { try PushesFeature($0, $1, isListening: isListening) }
    }
}

/// Receives what became of a message; called once.
package typealias PushAnswerer = (Result<PushReceipt, PushRefusal>) -> Void

extension Host {
    private var pushes: PushesFeature? { feature() }

    /// Takes in a message that `source` names; `answer` is called once, when it is on the disk or
    /// refused.
    package func push(_ offer: PushOffer, from source: String, _ answer: @escaping PushAnswerer) {
        pushes?.push(offer, from: source, answer)
    }

    /// What a source could not even offer is refused, and recorded like the rest.
    package func refuse(
        _ refusal: PushRefusal, _ identifier: String, from source: String,
        _ answer: @escaping PushAnswerer
    ) {
        pushes?.refuse(refusal, identifier, from: source, answer)
    }
}
