// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol

@testable import BGRunSupervisor

extension FuzzTarget {
    /// A message of a worker to its host: the payload of a frame.
    static let workerMessage = FuzzTarget(
        "worker-message", made: { sampleMessages.map { Array($0.frame.dropFirst(4)) } }
    ) { bytes in
        guard let message = try? WorkerMessage(payload: bytes[...]) else { return }
        let frame = message.frame
        // A byte that is not UTF-8 becomes a character of three bytes.
        try hold(frame.count <= 4 + 3 * bytes.count, "\(frame.count) bytes of \(bytes.count)")
        let again = try WorkerMessage(payload: frame[4...])
        try hold(again == message, "written and read, \(message) is \(again)")
        let bounded = message.bounded
        try hold(bounded.bounded == bounded, "bounded again, \(bounded) is another message")
        if case .call(_, _, let call) = bounded { _ = call.refusal }
        switch bounded {
        case .completed(_, _, let text?, let entered):
            try hold(text.utf8.count <= 4_096 && entered >= 0, "\(bounded)")
        case .title(_, let title?, _): try hold(title.utf8.count <= 256, "\(bounded)")
        case .progress(_, let completed, let total):
            try hold(completed >= 0 && total >= 0, "\(bounded)")
        default: break
        }
    }

    private static var sampleMessages: [WorkerMessage] {
        var request = WorkerMessage.TransferRequest(session: "s", url: "http://a/b")
        request.headers = "{}"
        request.resumeData = [1, 2]
        let registration = Registration(identifier: "a.*", kind: 1, delayNanoseconds: 5)
        let calls: [WorkerMessage.Call] = [
            .submit(WorkerMessage.Request(identifier: "a.b", parameters: "{}")),
            .cancel(identifier: "a.b"), .pending, .putCheckpoint(version: 1, data: [1]),
            .transfer(.create(request)), .transfer(.list(session: "s")), .transfer(.resume(id: 1)),
            .pushes(.messages),
        ]
        return [
            .loaded(
                WorkerMessage.Loaded(
                    name: "p", version: "1", abiVersion: 1, flags: 0, handlers: ["run", "default"],
                    registrations: [registration])),
            .refused("no entry"), .registered(registration),
            .completed(attempt: 1, success: true, message: "done", enteredMonotonic: 5),
            .completed(attempt: 1, success: nil, message: nil, enteredMonotonic: 5),
            .idle(attempt: 1, leftovers: .children), .progress(attempt: 1, completed: 1, total: 2),
            .title(attempt: 1, title: "t", subtitle: "s"), .log(attempt: 1, level: 2, text: "l"),
            .assertionBegan(attempt: 1, id: 2, name: "n"), .assertionEnded(attempt: 1, id: 2),
            .short(12), .waiting(attempt: 1, error: 12),
            .remark(attempt: 1, call: "log", status: -1),
        ] + calls.map { .call(attempt: 1, call: 2, $0) }
    }
}
