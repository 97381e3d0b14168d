// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunStore
import BGRunWire
import CBGRunPlugin

extension Host {
    /// Entries of one part of the answer to `pending`: a part fits in a frame.
    private static let pendingPart = 4_096

    /// A handler asks; it waits until `answer` is called.
    func answer(
        _ call: WorkerMessage.Call, from attempt: Int64,
        _ answer: @escaping (HostMessage.Answer) -> Void
    ) {
        switch call {
        case .submit(let request):
            submit(request, answer)
        case .cancel(let identifier):
            ask({ .cancel(identifier: identifier, ticket: $0) }) { reply in
                answer(HostMessage.Answer(status: reply.status))
            }
        case .pending:
            answerPending(answer)
        case .putCheckpoint(let version, let data):
            guard let identifier = views[attempt]?.attempt.request.identifier else {
                return answer(HostMessage.Answer(status: BGRUN_E_STATE))
            }
            write(
                CheckpointWrite(
                    identifier: identifier, version: version, data: data, answer: answer))
        case .transfer(let call):
            self.answer(call, from: attempt, answer)
        case .pushes(let call):
            self.answer(call, from: attempt, answer)
        }
    }

    /// The log states why a request is refused, because an app may ignore the error.
    private func submit(
        _ request: WorkerMessage.Request, _ answer: @escaping (HostMessage.Answer) -> Void
    ) {
        func refuse(_ status: Int32, _ why: String) {
            say(.warning, "The app's request for \(request.identifier) was refused: \(why)")
            answer(HostMessage.Answer(status: status))
        }
        if let parameters = request.parameters, !Parameters.isObject(parameters) {
            return refuse(BGRUN_E_INVALID, "its parameters are not a JSON object")
        }
        let declared = engine.declaration(for: request.identifier)?.kind
        if let declared, let kind = TaskKind(rawValue: request.kind),
            !declared.accepts(requestsOf: kind)
        {
            return refuse(
                BGRUN_E_NOT_PERMITTED,
                "it is of kind \(kind.name), and the manifest says \(declared.name); submit a "
                    + "request of that class, or change `kind` in the manifest")
        }
        let refresh = engine.appFacts.refreshSwitch
        if let declared, declared.factors.contains(.refreshSwitch), refresh != .available {
            return refuse(
                BGRUN_E_UNAVAILABLE,
                "background refresh is \(refresh.name); `bgrun refresh on` switches it on")
        }
        let delay = request.delayNanoseconds
        let submission = Submission(
            identifier: request.identifier,
            delay: delay > 0 ? Interval(nanoseconds: delay) : nil, parameters: request.parameters,
            requires: Conditions(rawValue: request.requires), isFromApp: true,
            isOnlyImmediate: request.isOnlyImmediate)
        ask({ .submit(submission, ticket: $0) }) { reply in
            if case .refused(let refusal) = reply { return refuse(reply.status, refusal.message) }
            answer(HostMessage.Answer(status: reply.status))
        }
    }

    private func answerPending(_ answer: (HostMessage.Answer) -> Void) {
        let all = engine.pendingRequests.sorted { $0.identifier < $1.identifier }
        var rest = all[...]
        repeat {
            let part = rest.prefix(Self.pendingPart).map { request in
                HostMessage.Pending(
                    identifier: request.identifier, kind: request.kind.rawValue,
                    earliestUnixNanoseconds: request.earliest?.unixNanoseconds ?? 0,
                    requires: request.requires.rawValue, parameters: request.parameters,
                    isOnlyImmediate: request.isOnlyImmediate
                        || engine.declaration(for: request.identifier)?.strategy == .fail)
            }
            rest = rest.dropFirst(Self.pendingPart)
            answer(HostMessage.Answer(status: BGRUN_OK, pending: part, hasMore: !rest.isEmpty))
        } while !rest.isEmpty
    }
}

extension WallTime {
    fileprivate var unixNanoseconds: Int64 {
        Interval.milliseconds(milliseconds).nanoseconds
    }
}

extension Reply {
    /// The result a handler is given.
    fileprivate var status: Int32 {
        switch self {
        case .accepted, .launched, .expiring, .noted: BGRUN_OK
        case .cancelled(let count): count > 0 ? BGRUN_OK : BGRUN_E_NOT_FOUND
        case .notRunning: BGRUN_E_NOT_FOUND
        case .refused(.tooManyPending): BGRUN_E_TOO_MANY_PENDING
        case .refused(.notPermitted), .refused(.modeMissing): BGRUN_E_NOT_PERMITTED
        case .refused(.noHandler): BGRUN_E_NOT_FOUND
        case .refused(.alreadyRunning): BGRUN_E_STATE
        case .refused(.unavailable): BGRUN_E_UNAVAILABLE
        case .refused(.notImmediately): BGRUN_E_NOT_IMMEDIATELY
        }
    }
}
