// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunHost
import BGRunPolicy

extension PushesFeature {
    func answer(_ request: ControlRequest, _ answer: @escaping (ControlResponse) -> Void) -> Bool {
        guard request.command == .push else { return false }
        push(request.push, to: request.identifier ?? "") { result in
            answer(ControlResponse { $0.push = PushAnswer(result) })
        }
        return true
    }

    private func push(
        _ push: ControlRequest.Push?, to identifier: String,
        _ answer: @escaping PushAnswerer
    ) {
        let source = "a command"
        do throws(PushRefusal) {
            guard let push else { throw PushRefusal.payloadEmpty }
            let offer = try push.offer(to: identifier, at: host.clock.now.wall)
            self.push(offer, from: source, answer)
        } catch {
            refuse(error, identifier, from: source, answer)
        }
    }

    func add(to response: inout ControlResponse, for request: ControlRequest) {
        switch request.command {
        case .running:
            if !sourceStates.isEmpty { response.pushSources = sourceStates }
        case .explain:
            let identifier = request.identifier ?? ""
            guard host.engine.declaration(for: identifier)?.kind == .push else { return }
            response.explanation?.pushes = ExplanationView.Pushes(
                held(of: identifier), sourceStates)
        default: break
        }
    }
}

extension ControlRequest.Push {
    /// The message as received at `now`.
    package func offer(to identifier: String, at now: WallTime) throws(PushRefusal) -> PushOffer {
        var offer = try PushEnvelope.payload(
            Array(payload.utf8), of: identifier, isSilentByDefault: true)
        offer.collapseID = collapseID
        offer.priority = priority
        offer.expires = expires.map { now.advanced(by: $0) }
        return offer
    }
}
