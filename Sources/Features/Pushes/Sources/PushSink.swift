// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy

/// Through which sources hand in messages. Belongs to the loop's thread.
package struct PushSink {
    package typealias Answer = (Result<PushReceipt, PushRefusal>) -> Void

    package var loop: EventLoop
    package var app: String
    package var now: () -> WallTime
    /// Takes a message, or records why it is invalid; answers once, when it is on the disk.
    package var deliver:
        (Result<PushOffer, PushRefusal>, _ source: String, @escaping Answer) -> Void
    /// A source has something to say about itself.
    package var say: (PushSourceState) -> Void

    package init(
        loop: EventLoop, app: String, now: @escaping () -> WallTime,
        deliver:
            @escaping (Result<PushOffer, PushRefusal>, _ source: String, @escaping Answer) -> Void,
        say: @escaping (PushSourceState) -> Void
    ) {
        self.loop = loop
        self.app = app
        self.now = now
        self.deliver = deliver
        self.say = say
    }

    func deliver(
        _ source: String, _ read: () throws(PushRefusal) -> PushOffer, _ answer: @escaping Answer
    ) {
        do throws(PushRefusal) {
            deliver(.success(try read()), source, answer)
        } catch {
            deliver(.failure(error), source, answer)
        }
    }
}
