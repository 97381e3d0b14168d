// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import BGRunSystem
import CBGRunPlugin
import CBGRunShims
import Glibc

/// One attempt of a trial, from its launch until the worker is idle, has ended, or has to be
/// killed.
struct TrialAttempt {
    let worker: TrialWorker
    let launch: HostMessage.Launch
    let script: AttemptScript
    /// The time limit, and the grace period after the notification, in nanoseconds.
    let limit: Int64
    let grace: Int64
    /// Whether the manifest permits an identifier.
    let permits: (String) -> Bool

    private var record: AttemptRecord
    private var start: Int64 = 0
    /// The time of the next notification or of the kill.
    private var deadline: Int64 = 0
    private var assertions: [Int64: String] = [:]
    private var isOver = false
    /// The last id of a created transfer, counted from 1.
    private var createdTransfers: Int64 = 0
    /// The ended transfers without an acknowledgement.
    private var ended: [HostMessage.Transfer]

    init(
        _ worker: TrialWorker, _ launch: HostMessage.Launch, _ script: AttemptScript, limit: Int64,
        grace: Int64, permits: @escaping (String) -> Bool
    ) {
        self.worker = worker
        self.launch = launch
        self.script = script
        self.limit = limit
        self.grace = grace
        self.permits = permits
        record = AttemptRecord(attempt: launch.attempt)
        ended = script.ended
        record.untaken = ended.count
    }

    /// Blocks until it is over. A worker that was notified, or is not idle, must not be used again.
    mutating func run() -> AttemptRecord {
        start = bgrun_monotonic_ns()
        deadline = start.saturatingAdding(limit)
        switch script.told {
        case .beforeLaunch: tell()
        case .atFirstSign: deadline = start.saturatingAdding(min(limit, 100_000_000))
        case .after(let nanoseconds):
            deadline = start.saturatingAdding(min(limit, nanoseconds))
        case .never, .atCheckpoint: break
        }
        worker.process.launch.send(HostMessage.launch(launch).frame)
        while !isOver {
            let now = bgrun_monotonic_ns()
            guard now < deadline else {
                timeIsOver()
                continue
            }
            switch worker.receive(within: deadline - now) {
            case .nothing: break
            case .messages(let messages): for message in messages { take(message) }
            case .nonsense:
                record.spokeNonsense = true
                isOver = true
            case .closed:
                record.hasClosedChannel = worker.process.identity.isAlive
                let death = worker.end() ?? "it ended"
                if death.hasSuffix(" \(WorkerMessage.lostChannelExitCode)"), !record.cannotBeTold {
                    record.hasClosedChannel = true
                }
                if !record.hasClosedChannel, !record.cannotBeTold {
                    record.death = death
                    record.isDead = true
                }
                isOver = true
            }
        }
        record.heldAssertions = assertions.sorted { $0.key < $1.key }.map(\.value)
        return record
    }

    private mutating func timeIsOver() {
        if !record.isTold, record.report == nil {
            if case .never = script.told { record.isOverdue = true }
            if case .atCheckpoint = script.told { record.isOverdue = true }
            tell()
        } else if !record.isTold, !assertions.isEmpty {
            tell()
        } else {
            isOver = true
        }
    }

    private mutating func tell() {
        record.isTold = true
        deadline = bgrun_monotonic_ns().saturatingAdding(grace)
        worker.process.control.send(
            HostMessage.expire(
                HostMessage.Expiration(
                    attempt: launch.attempt, reason: script.reason.number,
                    reasonText: script.reason.text, graceNanoseconds: grace,
                    deadlineBoottime: bgrun_boottime_ns().saturatingAdding(grace))
            ).frame)
    }

    private mutating func take(_ message: WorkerMessage) {
        switch message {
        case .completed(_, let success, let text, _):
            guard record.report == nil else { return }
            record.report = AttemptRecord.Report(isSuccess: success ?? false, message: text)
            record.nanoseconds = bgrun_monotonic_ns() - start
            record.wasTooQuick = !record.isTold
            deadline = bgrun_monotonic_ns().saturatingAdding(grace)
        case .idle(_, let leftovers):
            record.leftovers = leftovers
            record.isIdle = true
            isOver = true
        case .refused(let reason):
            record.death = "it was refused: \(reason)"
            isOver = true
        case .progress(_, let completed, let total):
            if record.progress.count == AttemptRecord.most { record.progress.removeLast() }
            record.progress.append(.init(completed: completed, total: total))
            sign()
        case .title: sign()
        case .registered, .waiting: break
        case .log(_, _, let text):
            record.lastLine = text
            sign()
        case .remark(let attempt, let call, let status):
            guard record.remarks.count < AttemptRecord.most else { return }
            record.remarks.append(.init(attempt: attempt, call: call, status: status))
        case .assertionBegan(_, let id, let name):
            guard assertions.count < Int(BGRUN_ASSERTIONS_MAX) else { return }
            assertions[id] = name ?? "without a name"
        case .assertionEnded(_, let id): assertions[id] = nil
        case .call(_, let number, let call): answer(number, call)
        case .short(0): break
        case .short(let code):
            record.death = "too few resources: \(String(cString: strerror(code)))"
            isOver = true
        case .loaded: break
        }
    }

    private mutating func sign() {
        if case .atFirstSign = script.told, !record.isTold, record.report == nil { tell() }
    }

    private mutating func answer(_ number: UInt32, _ call: WorkerMessage.Call) {
        var status = BGRUN_OK
        switch call {
        case .putCheckpoint(let version, let data):
            status = script.putStatus
            if status == BGRUN_OK {
                record.store(HostMessage.Checkpoint(version: version, data: data))
            }
        case .submit(let request):
            let isPermitted = permits(request.identifier)
            record.submit(request.identifier, isPermitted: isPermitted)
            status = script.submitStatus ?? (isPermitted ? BGRUN_OK : BGRUN_E_NOT_PERMITTED)
        case .cancel: status = BGRUN_E_NOT_FOUND
        case .transfer(let call): return answer(number, call)
        case .pending, .pushes: break
        }
        // The handler waits for the answer: a notification at a checkpoint arrives before it
        // continues.
        if case .atCheckpoint(let count) = script.told, !record.isTold, record.report == nil,
            record.checkpointCount >= count
        {
            tell()
        }
        worker.process.control.send(
            HostMessage.answer(call: number, HostMessage.Answer(status: status)).frame)
        if case .putCheckpoint = call { sign() }
    }

    /// A trial transfers nothing: created transfers wait, and the script provides the ended ones.
    private mutating func answer(_ number: UInt32, _ call: WorkerMessage.TransferCall) {
        var answer = HostMessage.Answer(status: BGRUN_OK)
        switch call {
        case .create:
            record.hasCreatedTransfer = true
            answer.status = script.transferStatus
            createdTransfers += 1
            answer.id = createdTransfers
        case .resume(let id), .suspend(let id), .cancel(let id), .cancelResumable(let id):
            let isThere = id > 0 && id <= createdTransfers
            answer.status = isThere ? BGRUN_OK : BGRUN_E_NOT_FOUND
        case .list: answer.transfers = Array(ended)
        case .nextEnded:
            record.hasAskedForTransfers = true
            answer.transfers = Array(ended.prefix(1))
            if ended.isEmpty { answer.status = BGRUN_E_NOT_FOUND }
        case .acknowledge(let id):
            if ended.first?.id == id { ended.removeFirst() }
            record.untaken = ended.count
        }
        worker.process.control.send(HostMessage.answer(call: number, answer).frame)
    }
}
