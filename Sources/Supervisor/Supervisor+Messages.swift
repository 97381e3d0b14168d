// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import CBGRunPlugin
import CBGRunShims
import Glibc

extension Supervisor {
    /// The maximum number of identifiers that one worker may register after its init; further ones are not attributed
    /// to it.
    private static let mostDynamicIdentifiers = 1_000

    /// The result of one read. There may be more data: the loop comes back for it, so that a worker that sends without
    /// end does not delay the others.
    enum Intake {
        case bytes, nothing, end
    }

    private func read(_ descriptor: Int32, _ body: (UnsafeRawBufferPointer) -> Void) -> Intake {
        while true {
            let count = Glibc.read(descriptor, chunk.baseAddress, chunk.count)
            if count > 0 {
                body(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
                return .bytes
            }
            if count == 0 { return .end }
            if errno != EINTR { return errno == EAGAIN ? .nothing : .end }
        }
    }

    /// Reads messages of the worker once.
    @discardableResult
    func receive(from worker: WorkerProcess) -> Intake {
        let unreported = worker.work.flatMap { $0.report == nil ? $0.attempt : nil }
        var intake = read(worker.control.descriptor) { worker.frames.append($0) }
        do {
            while let payload = try worker.frames.next() {
                take(try WorkerMessage(payload: payload).bounded, from: worker)
            }
        } catch {
            worker.signs.spokeNonsense = true
            intake = .end
        }
        tellRegistrations(of: worker)
        // If it is over as well, only its end is reported.
        if let work = worker.work, work.attempt == unreported, work.report != nil {
            notify(.reported(attempt: work.attempt))
        }
        if intake == .end {
            loop.forget(worker.control.descriptor)
            lostChannel(of: worker)
        }
        return intake
    }

    /// Reads output of the handler once.
    @discardableResult
    func receiveOutput(of worker: WorkerProcess, _ descriptor: Int32) -> Intake {
        let intake = read(descriptor) { bytes in
            if descriptor == worker.error {
                worker.errorLines.add(bytes) {
                    keep(HandlerLine(source: .standardError, text: $0), of: worker)
                }
            } else {
                worker.outputLines.add(bytes) {
                    keep(HandlerLine(source: .standardOutput, text: $0), of: worker)
                }
            }
        }
        if intake == .end { loop.forget(descriptor) }
        return intake
    }

    /// Reads the last output of an attempt, including an unterminated line. Reads at most the capacity of the pipes: a
    /// plugin may have threads that print on.
    func finishOutput(of worker: WorkerProcess) {
        for descriptor in [worker.output, worker.error] {
            for _ in 0..<32 {
                guard receiveOutput(of: worker, descriptor) == .bytes else { break }
            }
        }
        worker.outputLines.finish {
            keep(HandlerLine(source: .standardOutput, text: $0), of: worker)
        }
        worker.errorLines.finish { keep(HandlerLine(source: .standardError, text: $0), of: worker) }
    }

    private func take(_ message: WorkerMessage, from worker: WorkerProcess) {
        defer { worker.hasSpoken = true }
        if case .registered = message {} else { tellRegistrations(of: worker) }
        switch message {
        case .loaded(let loaded):
            worker.hasLoaded = true
            worker.loaded = loaded
            worker.registeredAtInit = loaded.registrations ?? []
            lateHandlers.noteInit(of: worker)
            guard let work = worker.work, let plugin = worker.key.plugin else { return }
            notify(.loaded(attempt: work.attempt, plugin: plugin, loaded))
        case .registered(let registration):
            worker.loaded?.add(registration)
            if let identifier = registration.identifier,
                worker.dynamicIdentifiers.count < Self.mostDynamicIdentifiers
            {
                worker.dynamicIdentifiers.insert(identifier)
                lateHandlers.add(identifier, by: worker)
            }
            worker.hasUntoldRegistrations = true
        case .refused(let reason):
            worker.signs.refusal = reason
        case .log(_, let level, let text):
            keep(HandlerLine(source: .log(level), text: text), of: worker)
        case .completed(let attempt, let success, let text, let entered):
            guard worker.work?.attempt == attempt, worker.work?.report == nil,
                !worker.signs.leftAnswersUnread
            else { return }
            worker.work?.report = RunningWork.Report(isSuccess: success, message: text)
            worker.work?.enteredMonotonic = entered
        case .short(let code):
            // Only in the first frame: an attempt that could send this would never count.
            guard !worker.hasSpoken else { return }
            worker.signs.shortage = Resource(code: code)
        case .waiting(let attempt, let error):
            guard let missing = Resource(code: error) else { return }
            if attempt == 0 && !worker.hasLoaded {
                worker.signs.missing = missing
            } else if isRunning(attempt, worker) {
                worker.work?.signs.missing = missing
            }
        case .idle(let attempt, let leftovers):
            guard worker.work?.attempt == attempt else { return }
            becameIdle(worker, leftovers)
        case .progress(let attempt, let completed, let total):
            guard isRunning(attempt, worker) else { return }
            notify(.progress(attempt: attempt, completed: completed, total: total))
        case .title(let attempt, let title, let subtitle):
            guard isRunning(attempt, worker) else { return }
            notify(.title(attempt: attempt, title: title, subtitle: subtitle))
        case .assertionBegan(let attempt, let id, let name):
            guard let work = worker.work, work.attempt == attempt,
                work.assertions.count < Int(BGRUN_ASSERTIONS_MAX),
                !work.assertions.contains(where: { $0.id == id })
            else { return }
            worker.work?.assertions.append(RunningWork.Assertion(id: id, name: name))
            notify(.assertionBegan(attempt: attempt, id: id))
        case .assertionEnded(let attempt, let id):
            guard let work = worker.work, work.attempt == attempt,
                work.assertions.contains(where: { $0.id == id })
            else { return }
            worker.work?.assertions.removeAll { $0.id == id }
            notify(.assertionEnded(attempt: attempt, id: id))
        case .remark: break  // only in a trial, which is not the supervisor's
        case .call(let attempt, let number, let call):
            let isAllowed = worker.work?.attempt == attempt || attempt == 0 && call.isOfProcess
            // A caller always waits, even if another thread has reported meanwhile.
            let refusal = isAllowed ? call.refusal : BGRUN_E_STATE
            let size = call.size
            guard refusal == nil, worker.open.add(size) else {
                let status = refusal ?? BGRUN_E_UNAVAILABLE
                return send(HostMessage.Answer(status: status), to: number, of: worker)
            }
            // Code of the process that submits while an attempt runs there counts as that attempt's.
            var caller = attempt
            if case .submit = call, attempt == 0 { caller = worker.work?.attempt ?? 0 }
            notify(
                .call(
                    attempt: caller, call,
                    answer: answer(to: number, size, of: attempt, in: worker)))
        }
    }

    /// Each notice contains all registrations, so that many at a time become one notice.
    private func tellRegistrations(of worker: WorkerProcess) {
        guard worker.hasUntoldRegistrations else { return }
        worker.hasUntoldRegistrations = false
        guard let plugin = worker.key.plugin, let loaded = worker.loaded else { return }
        let attempt = worker.work.map(\.attempt) ?? 0
        notify(.registered(attempt: attempt, plugin: plugin, loaded))
    }

    private func isRunning(_ attempt: Int64, _ worker: WorkerProcess) -> Bool {
        guard let work = worker.work, work.attempt == attempt else { return false }
        return work.report == nil || !work.assertions.isEmpty
    }

    /// Passes on the first lines of an attempt up to the limit; of the later ones, only the last, at its end.
    private func keep(_ line: HandlerLine, of worker: WorkerProcess) {
        var line = line
        line.text = line.text.cut(to: limits.outputLineBytes)
        guard let work = worker.work else {
            guard worker.strayLines < limits.outputLines else { return }
            worker.strayLines += 1
            return notify(.line(attempt: 0, line))
        }
        // A pipe keeps unread output; log lines come with other messages.
        if case .log = line.source, holdsOutput(of: worker) {
            worker.work?.missedLines += 1
        } else if work.keptLines < limits.outputLines, work.droppedLines == 0 {
            worker.work?.keptLines += 1
            notify(.line(attempt: work.attempt, line))
        } else {
            worker.work?.keepAtMost(line, at: bgrun_boottime_ns())
        }
    }

    /// The attempt is over in the worker. If it left something behind, its worker ends, too.
    private func becameIdle(_ worker: WorkerProcess, _ leftovers: WorkerMessage.Leftovers) {
        // If it has died since or is being killed, the end is reported when none of its processes remains.
        guard worker.death == nil, !worker.isEnding else { return }
        // Its message is verified: a worker that has not read its launch is not idle.
        guard worker.work?.isTold == false, worker.signs.refusal == nil, leftovers.isEmpty,
            !worker.launch.isBacklogged, !worker.isTerminating,
            let pid = worker.handlerPid, ProcessTree.knownChildren(of: pid)?.isEmpty == true,
            worker.isAloneInNamespace,
            let strays = listStrays()
        else { return end(worker) }
        finishOutput(of: worker)
        refuseParts(of: worker)
        guard let work = worker.work, !worker.isEnding else { return }
        if !strays.isEmpty {
            // It may belong to another worker: this one is kept, since other attempts may need its handlers.
            hasStrays = true
            collectStrays()
        }
        precondition(busy[work.attempt] === worker, "attempt \(work.attempt) runs elsewhere")
        worker.work = nil
        busy[work.attempt] = nil
        updateMemoryWatch()
        let processor = ProcessorTime.milliseconds(of: pid)
        worker.processorAtEnd = processor ?? worker.processorAtEnd
        notifyEnd(of: work.attempt, work.end(nil, hasLoaded: true, processor: processor))
        if !startWaiting(in: worker), !isAwaited(worker) { keep(worker) }
    }
}

extension WorkerMessage.Call {
    /// Whether it is independent of attempts.
    fileprivate var isOfProcess: Bool {
        switch self {
        case .submit, .cancel, .pending: true
        case .putCheckpoint, .transfer, .pushes: false
        }
    }
}
