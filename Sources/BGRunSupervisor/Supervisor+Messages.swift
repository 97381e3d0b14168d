// SPDX-License-Identifier: Apache-2.0

import BGRunWire
import CBGRunPlugin
import Glibc

extension Supervisor {
    /// Reads what the worker says, as much as there is.
    func receive(from worker: WorkerProcess) {
        let attempt = worker.work?.attempt
        var isOpen = true
        while true {
            let count = read(
                worker.control.descriptor, chunk.baseAddress, chunk.count)
            if count > 0 {
                worker.frames.append(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
                if count < chunk.count { break }
            } else if count < 0, errno == EINTR {
                continue
            } else {
                isOpen = count < 0 && errno == EAGAIN
                break
            }
        }
        do {
            while let payload = try worker.frames.next() {
                take(try WorkerMessage(payload: payload), from: worker)
            }
        } catch {
            isOpen = false
        }
        if let attempt, worker.work?.attempt == attempt, worker.work?.report != nil {
            notify(.reported(attempt: attempt))
        }
        if !isOpen { lostChannel(of: worker) }
    }

    /// Reads the handler's output; false at its end.
    func receiveOutput(of worker: WorkerProcess, _ descriptor: Int32) -> Bool {
        let isError = descriptor == worker.error
        let source: HandlerLine.Source = isError ? .standardError : .standardOutput
        while true {
            let count = read(descriptor, chunk.baseAddress, chunk.count)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return count < 0 && errno == EAGAIN
            }
            let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<count])
            if isError {
                worker.errorLines.add(bytes) {
                    keep(HandlerLine(source: source, text: $0), of: worker)
                }
            } else {
                worker.outputLines.add(bytes) {
                    keep(HandlerLine(source: source, text: $0), of: worker)
                }
            }
            if count < chunk.count { return true }
        }
    }

    /// Takes the last words of an attempt, also a line that has no end.
    func finishOutput(of worker: WorkerProcess) {
        _ = receiveOutput(of: worker, worker.output)
        _ = receiveOutput(of: worker, worker.error)
        worker.outputLines.finish {
            keep(HandlerLine(source: .standardOutput, text: $0), of: worker)
        }
        worker.errorLines.finish { keep(HandlerLine(source: .standardError, text: $0), of: worker) }
    }

    private func take(_ message: WorkerMessage, from worker: WorkerProcess) {
        switch message {
        case .loaded: break
        case .refused(let reason):
            worker.work?.refusal = reason
        case .log(_, let level, let text):
            keep(HandlerLine(source: .log(level), text: text), of: worker)
        case .completed(let attempt, let success, let text, let entered):
            guard worker.work?.attempt == attempt, worker.work?.report == nil else { return }
            worker.work?.report = RunningWork.Report(isSuccess: success, message: text)
            worker.work?.enteredMonotonic = entered
        case .idle(let attempt, let leftovers):
            guard worker.work?.attempt == attempt else { return }
            becameIdle(worker, leftovers)
        case .progress(let attempt, let completed, let total):
            guard isRunning(attempt, worker) else { return }
            notify(.progress(attempt: attempt, completed: completed, total: total))
        case .title(let attempt, let title, let subtitle):
            guard isRunning(attempt, worker) else { return }
            notify(.title(attempt: attempt, title: title, subtitle: subtitle))
        case .call(let attempt, let number, let call):
            let answer = { [weak self, weak worker] (answer: HostMessage.Answer) in
                guard let self, let worker else { return }
                worker.control.send(HostMessage.answer(call: number, answer).frame)
                updateInterest(worker)
            }
            // Whoever asks waits, also when another thread has reported meanwhile.
            guard worker.work?.attempt == attempt else {
                return answer(HostMessage.Answer(status: BGRUN_E_STATE))
            }
            notify(.call(attempt: attempt, call, answer: answer))
        }
    }

    private func isRunning(_ attempt: Int64, _ worker: WorkerProcess) -> Bool {
        worker.work?.attempt == attempt && worker.work?.report == nil
    }

    /// Keeps so many lines of an attempt and counts the others.
    private func keep(_ line: HandlerLine, of worker: WorkerProcess) {
        guard let work = worker.work else {
            return notify(.line(attempt: 0, line))
        }
        if work.keptLines < limits.outputLines {
            worker.work?.keptLines += 1
            notify(.line(attempt: work.attempt, line))
        } else {
            worker.work?.droppedLines += 1
        }
    }

    /// The attempt is over in the worker. One that left something behind takes its worker along.
    private func becameIdle(_ worker: WorkerProcess, _ leftovers: WorkerMessage.Leftovers) {
        guard let work = worker.work, work.told == nil, work.refusal == nil, leftovers.isEmpty,
            !worker.isTerminating
        else { return worker.killEverything() }
        finishOutput(of: worker)
        worker.work = nil
        busy[work.attempt] = nil
        notify(.ended(attempt: work.attempt, work.end(nil)))
        keep(worker)
    }
}
