// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunPush

extension Host {
    public typealias PushAnswerer = (Result<PushReceipt, PushRefusal>) -> Void

    private var pushes: PushesFeature? { feature() }

    /// Takes in a message that `source` names; `answer` is called once, when it is on the disk or
    /// refused.
    public func push(_ offer: PushOffer, from source: String, _ answer: @escaping PushAnswerer) {
        pushes?.push(offer, from: source, answer)
    }

    /// What a source could not even offer is refused, and recorded like the rest.
    public func refuse(
        _ refusal: PushRefusal, _ identifier: String, from source: String,
        _ answer: @escaping PushAnswerer
    ) {
        pushes?.refuse(refusal, identifier, from: source, answer)
    }

    /// What waits for an attempt of `identifier`, the oldest first.
    public func heldPushes(of identifier: String) -> [PushMessage] {
        pushes?.held(of: identifier) ?? []
    }

    /// How its sources are, in the order of their names.
    public var pushSourceStates: [PushSourceState] { pushes?.sourceStates ?? [] }
}
