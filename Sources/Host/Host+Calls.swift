// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import CBGRunPlugin

extension Host {
    /// Requests in one part of the response to `pending`, and bytes of their texts: a part fits in a frame and does not
    /// delay other clients for long.
    private static let pendingPart = 1_024
    private static let pendingPartSize = 256 << 10

    /// Handles a call of a handler, which waits until `answer` is called.
    package func answer(_ call: WorkerMessage.Call, from attempt: Int64, _ answer: CallAnswer) {
        switch call {
        case .submit(let request):
            submit(request, from: attempt, confined: answer.confinement, answer.whole)
        case .cancel(let identifier):
            ask({ .cancel(identifier: identifier, ticket: $0) }) { reply in
                answer(HostMessage.Answer(status: reply.status))
            }
        case .pending:
            answerPending(answer)
        case .putCheckpoint(let version, let data):
            guard let identifier = attempts.views[attempt]?.attempt.request.identifier else {
                return answer(HostMessage.Answer(status: BGRUN_E_STATE))
            }
            write(
                CheckpointWrite(
                    identifier: identifier, version: version, data: data, answer: answer.whole))
        default:
            if features.contains(where: { $0.answer(call, from: attempt, answer) }) { return }
            answer(HostMessage.Answer(status: BGRUN_E_UNAVAILABLE))
        }
    }

    /// The log states why a request is refused, because an app may ignore the error.
    private func submit(
        _ request: WorkerMessage.Request, from attempt: Int64,
        confined confinement: Confinement?,
        _ answer: @escaping (HostMessage.Answer) -> Void
    ) {
        func refuse(_ status: Int32, _ why: String) {
            say(.warning, "The app's request for \(request.identifier) was refused: \(why)")
            answer(HostMessage.Answer(status: status))
        }
        if let problem = request.parameters.flatMap(Parameters.problem) {
            return refuse(BGRUN_E_INVALID, "its parameters: \(problem)")
        }
        let target = engine.declaration(for: request.identifier)
        if request.parameters != nil, let task = target.flatMap({ definitions[$0.identifier] }),
            !DataRule.permits(from: confinement, to: manifest.confinementOfWorkers(task))
        {
            return refuse(
                BGRUN_E_NOT_PERMITTED,
                "it brings parameters from a confined handler to a task with another confinement; "
                    + DataRule.remedy)
        }
        let declared = target?.kind
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
        if let problem = handlerProblem(
            of: request.identifier, isOnlyImmediate: request.isOnlyImmediate, from: attempt)
        {
            return refuse(problem.status, problem.message)
        }
        guard let annotations = Annotations(text: request.annotations) else {
            return refuse(BGRUN_E_INVALID, "its annotations cannot be read")
        }
        let delay = request.delayNanoseconds
        var submission = Submission(
            identifier: request.identifier,
            delay: delay > 0 ? Interval(nanoseconds: delay) : nil, parameters: request.parameters,
            requires: Conditions(rawValue: request.requires), isFromApp: true,
            isOnlyImmediate: request.isOnlyImmediate, annotations: annotations)
        if let problem = engine.problem(with: submission) {
            return refuse(BGRUN_E_INVALID, problem)
        }
        if attempt == 0 {
            // Code that runs between attempts was left behind by an unknown attempt. Continued work, which is refused
            // instead of waiting, therefore does not count as a request of its own task.
            submission.isFromOwnTask = declared != .continued
        } else if let own = attempts.views[attempt]?.attempt.declaration {
            submission.isFromOwnTask =
                engine.declaration(for: request.identifier)?.identifier == own
        }
        ask({ [submission] in .submit(submission, ticket: $0) }) { reply in
            if case .refused(let refusal) = reply { return refuse(reply.status, refusal.message) }
            answer(HostMessage.Answer(status: reply.status))
        }
    }

    /// The parts are unordered: the worker sorts them and takes the newest copy.
    private func answerPending(_ answer: CallAnswer) {
        var cursor = PendingCursor()
        answer.inParts { [weak self] in
            guard let self else { return HostMessage.Answer(status: BGRUN_E_UNAVAILABLE) }
            let page = cursor.next(in: engine, limit: Self.pendingPart, size: Self.pendingPartSize)
            return HostMessage.Answer(
                status: BGRUN_OK, pending: page.map(pending), hasMore: !cursor.isAtEnd)
        }
    }

    private func pending(_ request: TaskRequest) -> HostMessage.Pending {
        HostMessage.Pending(
            identifier: request.identifier, kind: request.kind.rawValue,
            earliestUnixNanoseconds: request.earliest?.unixNanoseconds ?? 0,
            requires: request.requires.rawValue, parameters: request.parameters,
            isOnlyImmediate: request.isOnlyImmediate
                || engine.declaration(for: request.identifier)?.strategy == .fail,
            annotations: request.annotations.text)
    }
}

extension WallTime {
    fileprivate var unixNanoseconds: Int64 { Interval.milliseconds(milliseconds).nanoseconds }
}

extension Reply {
    /// The result for the handler.
    fileprivate var status: Int32 {
        switch self {
        case .accepted, .launched, .expiring, .noted: BGRUN_OK
        case .cancelled(let count): count > 0 ? BGRUN_OK : BGRUN_E_NOT_FOUND
        case .notRunning: BGRUN_E_NOT_FOUND
        case .refused(.tooManyPending): BGRUN_E_TOO_MANY_PENDING
        case .refused(.notPermitted), .refused(.modeMissing): BGRUN_E_NOT_PERMITTED
        case .refused(.noHandler): BGRUN_E_NOT_FOUND
        case .refused(.alreadyRunning): BGRUN_E_STATE
        case .refused(.unavailable), .refused(.busy): BGRUN_E_UNAVAILABLE
        case .refused(.notImmediately), .refused(.postponed): BGRUN_E_NOT_IMMEDIATELY
        }
    }
}
