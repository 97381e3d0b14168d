// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunSystem
import CBGRunShims
import Glibc

/// When the memory of attempts is read, and which memory is too much: without a cgroup the kernel does not limit it.
final class MemoryWatch {
    /// Readings of the memory of a process and of all below it, in bytes.
    struct Readings {
        /// At least what is used; cheap.
        var most: (pid_t) -> Int64 = { ProcessMemory.most(below: $0) }
        /// What is used; takes longer the more that is.
        var exact: (pid_t) -> Int64 = { ProcessMemory.exact(below: $0) }

        /// The used memory if it is more than `limit`. A process that has just forked shares its memory with its
        /// child: the first reading has it twice.
        func excess(of root: pid_t, over limit: Int64) -> Int64? {
            guard most(root) > limit else { return nil }
            let used = exact(root)
            return used > limit ? used : nil
        }
    }

    var readings = Readings()
    /// Whether the next reading has a date.
    private(set) var isActive = false
    private var timer: LoopTimer?

    /// Makes the timer that calls `read`, once; false if there is no descriptor for it.
    func prepare(_ loop: EventLoop, _ read: @escaping () -> Void) -> Bool {
        if timer == nil { timer = try? LoopTimer(loop, fire: read) }
        return timer != nil
    }

    /// Reads from now on, or no more.
    func activate(_ isNeeded: Bool) {
        guard isNeeded != isActive else { return }
        isActive = isNeeded
        set(after: isNeeded ? Confinement.memoryPeriod.nanoseconds : nil)
    }

    /// The date of the next reading, after one that took so many nanoseconds: with any number of processes, readings
    /// take a tenth of the time.
    func readAgain(afterTaking time: Int64) {
        guard isActive else { return }
        set(after: Self.wait(afterTaking: time))
    }

    static func wait(afterTaking time: Int64) -> Int64 {
        max(Confinement.memoryPeriod.nanoseconds, time.saturatingMultiplied(by: 9))
    }

    private func set(after wait: Int64?) {
        timer?.set(elapsed: wait.map { bgrun_boottime_ns().saturatingAdding($0) })
    }
}

extension Supervisor {
    /// Whether the memory of attempts in such a worker can be read.
    func canReadMemory(for key: WorkerKey) -> Bool {
        key.confinement?.memory == nil
            || memoryWatch.prepare(loop) { [weak self] in self?.readMemory() }
    }

    /// An attempt has begun or ended.
    func updateMemoryWatch() {
        memoryWatch.activate(busy.values.contains { $0.key.confinement?.memory != nil })
    }

    /// Ends each worker whose attempt uses more memory than it may.
    func readMemory() {
        let began = bgrun_boottime_ns()
        for worker in busy.values where worker.death == nil && !worker.isEnding {
            guard let limit = worker.key.confinement?.memory,
                let used = memoryWatch.readings.excess(of: worker.pid, over: limit)
            else { continue }
            worker.signs.reached = ReachedLimit(memory: used, of: limit)
            end(worker)
        }
        memoryWatch.readAgain(afterTaking: bgrun_boottime_ns().saturatingSubtracting(began))
    }
}
