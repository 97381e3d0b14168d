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
            var offer = try PushEnvelope.payload(
                Array(push.payload.utf8), of: identifier, isSilentByDefault: true)
            offer.collapseID = push.collapseID
            offer.priority = push.priority
            offer.expires = push.expires.map {
                host.clock.now.wall.advanced(by: Interval(nanoseconds: $0))
            }
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
