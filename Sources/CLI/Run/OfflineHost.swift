// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunManifest
import BGRunPolicy
import BGRunPushes
import BGRunStorage
import BGRunSystem

/// Carries out a command without a host: feeds a host's events to an engine that launches nothing, and stores its
/// decisions in one transaction. The caller holds the app's lock.
struct OfflineHost {
    private let store: Store
    private let request: ControlRequest
    private var engine: Engine
    private var pushes: PushQueue
    /// Requests without a task in the manifest, which the engine does not know: they can be cancelled here.
    private let undeclared: [TaskRequest]
    /// Attempts that ran when the last host died, of the requests to be cancelled.
    private let interrupted: [InterruptedAttempt]
    /// The identifiers of the pending requests that the command concerns.
    private let pending: Set<String>
    private let now = SystemClock().now
    private var changes: [StoreChange] = []
    private static let ticket: Ticket = 1

    init(_ request: ControlRequest, _ manifest: Manifest, _ store: Store) throws(StoreError) {
        self.store = store
        self.request = request
        let identifier = request.identifier ?? ""
        let concernsAll = [.cancelAll, .cancelAnnotated, .quit].contains(request.command)
        let restoration =
            try concernsAll ? store.restoration().0 : store.restoration(of: identifier)
        let engine = Engine(
            manifest.engineConfiguration, device: manifest.device, restoring: restoration,
            isOffline: true)
        self.engine = engine
        undeclared = restoration.requests.filter { engine.pendingRequest($0.identifier) == nil }
        pending = Set(restoration.requests.map(\.identifier))
        interrupted =
            try concernsAll || request.command == .cancel
            ? store.interruptedAttempts().filter {
                concernsAll || $0.request.identifier == identifier
            } : []
        let held =
            try request.command == .submit
            ? [] : store.heldPushes(of: concernsAll ? nil : identifier)
        pushes = PushQueue(held, nextID: try store.nextPushID())
    }

    /// The answer that a host would give, once the changes are on the disk.
    mutating func serve() throws(StoreError) -> ControlResponse {
        if request.command == .push, let push = request.push { return try send(push) }
        guard let event = request.event, request.command != .trigger else {
            return ControlResponse("no host is running")
        }
        let reply = feed(event(Self.ticket))
        var response = ControlResponse(reply ?? .noted, of: engine, at: now.wall)
        let cancelled = undeclared.filter(isCancelled)
        for request in cancelled {
            change(as: [.remove(request), .record(.cancelled(request))])
        }
        let lost = interrupted.filter { isCancelled($0.request) }
        changes += lost.map { .cancelAttempt($0.id) }
        let alone = lost.filter { !pending.contains($0.request.identifier) }
        for attempt in alone { change(as: [.record(.cancelled(attempt.request))]) }
        response.count = response.count.map { [$0, cancelled.count, alone.count].saturatingSum }
        try store.apply(changes, durability: .full)
        return response
    }

    /// Whether the command cancels a request that it concerns and the engine does not know.
    private func isCancelled(_ unknown: TaskRequest) -> Bool {
        switch request.command {
        case .cancel, .cancelAll: true
        case .cancelAnnotated: unknown.annotations.has(request.annotation ?? "")
        case .quit: unknown.kind.endsWithForceQuit
        default: false
        }
    }

    private mutating func send(_ push: ControlRequest.Push) throws(StoreError) -> ControlResponse {
        let identifier = request.identifier ?? ""
        let message: PushMessage
        do throws(PushRefusal) {
            let offer = try push.offer(to: identifier, at: now.wall)
            try offer.check(by: engine, at: now.wall)
            let (lost, events) = pushes.expire(at: now.wall, of: engine)
            changes += lost.flatMap { $0.changes(at: now) }
            for event in events { _ = feed(event) }
            message = pushes.submit(offer, ticket: Self.ticket, at: now.wall)
        } catch {
            return ControlResponse { $0.push = PushAnswer(.failure(error)) }
        }
        switch feed(.submit(Submission(identifier: identifier), ticket: Self.ticket)) {
        case .accepted(let request, _):
            changes.append(.nextPush(id: pushes.nextID))
            try store.apply(changes, durability: .full)
            let receipt = pushes.receipt(of: message, request)
            return ControlResponse { $0.push = PushAnswer(.success(receipt)) }
        case .refused(let refusal):
            return ControlResponse { $0.push = PushAnswer(.failure(.notAccepted(refusal))) }
        default:
            return ControlResponse { $0.push = PushAnswer(.failure(.unavailable)) }
        }
    }

    /// The engine's reply to `event`; nil without a reply.
    private mutating func feed(_ event: Event) -> Reply? {
        var random = SystemRandomNumberGenerator()
        let actions = engine.handle(event, at: now, using: &random)
        change(as: actions)
        for case .reply(_, let reply) in actions { return reply }
        return nil
    }

    /// Adds the changes that `actions` store. Stores an event line only if it concerns the whole app; a host also
    /// stores those of requests.
    private mutating func change(as actions: [Action]) {
        for action in actions {
            if let change = action.change { changes.append(change) }
            guard case .record(let record) = action else { continue }
            let line = EventLine(record, at: now)
            if line.identifier.isEmpty { changes.append(.event(line)) }
        }
        changes += pushes.steps(for: actions, of: engine).flatMap { $0.changes(at: now) }
    }
}
