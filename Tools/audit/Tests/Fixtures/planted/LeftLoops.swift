import BackgroundTasks
import Foundation

/// Loops that the expiration ends, and a success after them.
final class Maintenance {
    private let database = Database()
    private let queue = OperationQueue()
    private let lock = NSLock()
    private var isExpired = false
    private var keepsGoing = true
    private var outOfTime: Bool { lock.withLock { isExpired } }

    func breaksOnAFlag(task: BGProcessingTask) {
        var expired = false
        task.expirationHandler = { expired = true }
        DispatchQueue.global(qos: .background).async {
            for table in self.database.tables {
                if expired { break }
                self.database.vacuum(table)
            }
            task.setTaskCompleted(success: true)  // expect: success-at-expiry
        }
    }

    func breaksOnAFlagThatAllows(task: BGProcessingTask) {
        var shouldContinue = true
        task.expirationHandler = { shouldContinue = false }
        let steps = [database.removeOldRecords, database.vacuum, database.rebuildIndexes]
        for step in steps {
            guard shouldContinue else { break }
            step()
        }
        task.setTaskCompleted(success: true)  // expect: success-at-expiry
    }

    func breaksOnCancellation(task: BGProcessingTask) {
        let work = Task {
            for table in database.tables {
                guard !Task.isCancelled else {
                    print("cancelled")
                    break
                }
                await database.analyze(table)
            }
            print("done")
            task.setTaskCompleted(success: true)  // expect: success-at-expiry
        }
        task.expirationHandler = { work.cancel() }
    }

    func whileNotCancelled(task: BGProcessingTask) {
        let operation = BlockOperation()
        operation.addExecutionBlock { [unowned operation] in
            var batch = self.database.firstBatch
            while !operation.isCancelled && batch.hasRows {
                batch = self.database.prune(batch)
            }
            DispatchQueue.main.async {
                task.setTaskCompleted(success: true)  // expect: success-at-expiry
            }
        }
        task.expirationHandler = { operation.cancel() }
        queue.addOperation(operation)
    }

    func untilStopped(task: BGProcessingTask) {
        task.expirationHandler = { [weak self] in self?.stop() }
        repeat {
            database.pruneSome()
        } while keepsGoing && database.hasRows
        task.setTaskCompleted(success: true)  // expect: success-at-expiry
    }

    func stop() { keepsGoing = false }

    func asksAProperty(task: BGProcessingTask) {
        task.expirationHandler = { self.lock.withLock { self.isExpired = true } }
        outer: for table in database.tables {
            for row in table.rows {
                if outOfTime { break outer }
                database.check(row)
            }
        }
        task.setTaskCompleted(success: true)  // expect: success-at-expiry
    }

    func skips(task: BGProcessingTask) {
        var stopped = false
        task.expirationHandler = { stopped = true }
        for table in database.tables where !stopped {
            database.vacuum(table)
        }
        finish(task, success: true)  // expect: success-at-expiry
    }

    func finish(_ task: BGTask, success: Bool) {
        print("finished: \(success)")
        task.setTaskCompleted(success: success)
    }

    func inAFunction(task: BGProcessingTask) {
        let work = Task {
            do {
                try await database.open()
                await analyzeAll()
                task.setTaskCompleted(success: true)  // expect: success-at-expiry
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func analyzeAll() async {
        for table in database.tables {
            if Task.isCancelled { return }
            await database.analyze(table)
        }
    }

    func deferred(task: BGProcessingTask) {
        let work = Task {
            defer { task.setTaskCompleted(success: true) }  // expect: success-at-expiry
            for table in database.tables {
                if Task.isCancelled { return }
                await database.analyze(table)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func inADo(task: BGProcessingTask) {
        let work = Task {
            do {
                for table in database.tables {
                    if Task.isCancelled { break }
                    try await database.export(table)
                }
            } catch {
                task.setTaskCompleted(success: false)
                return
            }
            task.setTaskCompleted(success: true)  // expect: success-at-expiry
        }
        task.expirationHandler = { work.cancel() }
    }

    func successInTheBranch(task: BGProcessingTask) {
        let work = Task {
            for table in database.tables {
                if Task.isCancelled {
                    task.setTaskCompleted(success: true)  // expect: success-at-expiry
                    return
                }
                await database.analyze(table)
            }
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { work.cancel() }
    }

    func successWhenCaught(task: BGProcessingTask) {
        let work = Task {
            do {
                try await database.compact()
                task.setTaskCompleted(success: true)
            } catch is CancellationError {
                task.setTaskCompleted(success: true)  // expect: success-at-expiry
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func asksAnAtomic(task: BGProcessingTask) {
        let flag = ManagedAtomic(false)
        task.expirationHandler = { flag.store(true, ordering: .relaxed) }
        while let batch = database.nextBatch, !flag.load(ordering: .relaxed) {
            database.prune(batch)
        }
        task.setTaskCompleted(success: true)  // expect: success-at-expiry
    }

    func asksALock(task: BGProcessingTask) {
        let over = OSAllocatedUnfairLock(initialState: false)
        task.expirationHandler = { over.withLock { $0 = true } }
        for table in database.tables {
            guard !over.withLock({ $0 }) else { break }
            database.vacuum(table)
        }
        task.setTaskCompleted(success: true)  // expect: success-at-expiry
    }

    func inAGroup(task: BGProcessingTask) {
        let work = Task {
            await withTaskGroup(of: Void.self) { group in
                for table in self.database.tables {
                    if Task.isCancelled { break }
                    group.addTask { await self.database.analyze(table) }
                }
                await group.waitForAll()
            }
            task.setTaskCompleted(success: true)  // expect: success-at-expiry
        }
        task.expirationHandler = { work.cancel() }
    }

    func asksSomethingElse(task: BGProcessingTask) {
        var hasTime = true
        task.expirationHandler = { hasTime = false }
        for table in database.tables {  // expect: loop-ignores-cancellation
            if table.isEmpty { continue }
            database.vacuum(table)
        }
        task.setTaskCompleted(success: hasTime)
    }
}

final class VacuumOperation: Operation, @unchecked Sendable {
    private let task: BGProcessingTask

    init(task: BGProcessingTask) {
        self.task = task
        super.init()
        task.expirationHandler = { [weak self] in self?.cancel() }
    }

    override func main() {
        for table in Database.shared.tables {
            if isCancelled { break }
            Database.shared.vacuum(table)
        }
        task.setTaskCompleted(success: true)  // expect: success-at-expiry
    }
}

final class Maintainer {
    private let queue = OperationQueue()

    func vacuum(_ task: BGProcessingTask) {
        queue.addOperation(VacuumOperation(task: task))
    }
}
