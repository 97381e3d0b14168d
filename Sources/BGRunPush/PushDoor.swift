// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunLoop

/// Through which sources hand in messages. Belongs to the loop's thread.
public struct PushDoor {
    public typealias Answer = (Result<PushReceipt, PushRefusal>) -> Void

    public var loop: EventLoop
    public var app: String
    public var now: () -> WallTime
    /// Takes a message, or records why it is invalid; answers once, when it is on the disk.
    public var deliver: (Result<PushOffer, PushRefusal>, _ source: String, @escaping Answer) -> Void
    /// A source has something to say about itself.
    public var say: (PushSourceState) -> Void

    public init(
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

/// How a source is.
public struct PushSourceState: Codable, Hashable, Sendable {
    /// `inbox`, `socket`, `webhook` or `mqtt`.
    public var source: String
    /// Where it is: a path or an address.
    public var place: String
    /// What keeps it from working; nil while nothing does.
    public var problem: String?
    /// Since when it is like that, milliseconds since 1970.
    public var since: Int64

    public init(source: String, place: String, problem: String?, since: WallTime) {
        self.source = source
        self.place = place
        self.problem = problem
        self.since = since.milliseconds
    }
}
