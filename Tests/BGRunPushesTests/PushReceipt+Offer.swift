// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

@testable import BGRunPushes

extension PushReceipt {
    /// The receipt for the first message of an app.
    init(of offer: PushOffer) {
        self.init(
            id: 1, identifier: offer.identifier,
            request: TaskRequest(
                id: 1, identifier: offer.identifier, kind: .push,
                submitted: WallTime(milliseconds: 1)),
            held: 1)
    }
}
