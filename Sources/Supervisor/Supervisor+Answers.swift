// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunProtocol
import BGRunSystem
import CBGRunPlugin

/// Answers to a worker take bounded memory of the host: a list is sent in parts, each of which is made when the worker
/// has received the previous one.
extension Supervisor {
    /// The maximum of complete answers that a worker may leave unread, in bytes: the answers for which each of its
    /// threads waits are much smaller.
    private static let mostBacklog = 2 * FrameBuffer.largestFrame

    /// Answers open call `number` of the worker; `attempt` is 0 for a call of the process.
    func answer(
        to number: UInt32, _ size: Int, of attempt: Int64, in worker: WorkerProcess
    ) -> CallAnswer {
        CallAnswer(
            confinement: worker.key.confinement,
            whole: { [weak self, weak worker] answer in
                guard let self, let worker else { return }
                worker.open.remove(size)
                send(answer, to: number, of: worker)
            },
            parts: { [weak self, weak worker] next in
                guard let self, let worker, worker.death == nil else { return }
                worker.open.remove(size)
                guard worker.parts.add(number, of: attempt, next) else {
                    let busy = HostMessage.Answer(status: BGRUN_E_UNAVAILABLE)
                    return send(busy, to: number, of: worker)
                }
                sendPartNextRound(worker)
            })
    }

    func send(_ answer: HostMessage.Answer, to number: UInt32, of worker: WorkerProcess) {
        // A worker that does not read its answers loses its attempt, and takes no more memory of the host.
        guard worker.control.backlog < Self.mostBacklog else {
            worker.signs.leftAnswersUnread = true
            return end(worker)
        }
        if let frame = HostMessage.answer(call: number, answer).boundedFrame {
            worker.control.send(frame)
        } else {
            worker.parts.drop(number)
            let refusal = HostMessage.Answer(status: BGRUN_E_TOO_LARGE)
            worker.control.send(HostMessage.answer(call: number, refusal).frame)
        }
        updateInterest(worker)
    }

    /// In the next round, so that other work runs between two parts. A worker with a backlog gets no part until it has
    /// received that.
    func sendPartNextRound(_ worker: WorkerProcess) {
        guard !worker.isPartDue, !worker.parts.isEmpty, !worker.control.isBacklogged else { return }
        worker.isPartDue = true
        loop.inNextRound { [weak self, weak worker] in
            guard let self, let worker else { return }
            worker.isPartDue = false
            guard !worker.control.isBacklogged, let (call, part) = worker.parts.next() else {
                return
            }
            send(part, to: call, of: worker)
            sendPartNextRound(worker)
        }
    }

    /// The attempt is over: refuses the calls of its threads that still wait.
    func refuseParts(of worker: WorkerProcess) {
        for call in worker.parts.dropOfAttempts() {
            send(HostMessage.Answer(status: BGRUN_E_STATE), to: call, of: worker)
        }
    }
}
