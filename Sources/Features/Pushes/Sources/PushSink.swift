// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy

/// The receiver of messages from sources. Belongs to the loop's thread.
struct PushSink {
    var loop: EventLoop
    var app: String
    var now: () -> WallTime
    /// Accepts a message, or records why it is invalid; answers once, when it is on the disk.
    var deliver: (Result<PushOffer, PushRefusal>, _ source: String, @escaping PushAnswerer) -> Void
    /// Reports the state of a source.
    var say: (PushSourceState) -> Void
    /// Whether a sender is a process of a confined attempt.
    var isConfined: (PeerCredentials) -> Bool = { _ in false }

    func deliver(
        _ source: String, _ read: () throws(PushRefusal) -> PushOffer,
        _ answer: @escaping PushAnswerer
    ) {
        deliver(Result(catching: read), source, answer)
    }
}
