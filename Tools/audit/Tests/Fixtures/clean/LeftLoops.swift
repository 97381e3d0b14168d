import BackgroundTasks
import Foundation

/// Loops that the expiration ends, and that say so; and loops that end for other reasons.
final class Maintenance {
    private let database = Database()
    private let gate = Gate()
    private let lock = NSLock()
    private var hasTime = true
    private var isOver: Bool { lock.withLock { !hasTime } }

    func saysItWasCancelled(task: BGProcessingTask) {
        let work = Task {
            for table in database.tables {
                if Task.isCancelled { break }
                await database.analyze(table)
            }
            task.setTaskCompleted(success: !Task.isCancelled)
        }
        task.expirationHandler = { work.cancel() }
    }

    func saysWhatTheFlagSays(task: BGProcessingTask) {
        var shouldContinue = true
        task.expirationHandler = { shouldContinue = false }
        for table in database.tables {
            guard shouldContinue else { break }
            database.vacuum(table)
        }
        task.setTaskCompleted(success: shouldContinue)
    }

    func asksAgain(task: BGProcessingTask) {
        var expired = false
        task.expirationHandler = { expired = true }
        for table in database.tables {
            if expired { break }
            database.vacuum(table)
        }
        if expired {
            task.setTaskCompleted(success: false)
        } else {
            task.setTaskCompleted(success: true)
        }
    }

    func leavesAfterTheLoop(task: BGProcessingTask) {
        let work = Task {
            for table in database.tables {
                guard !Task.isCancelled else { break }
                await database.analyze(table)
            }
            guard !Task.isCancelled else {
                task.setTaskCompleted(success: false)
                return
            }
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { work.cancel() }
    }

    func countsWhatWasDone(task: BGProcessingTask) {
        var expired = false
        task.expirationHandler = { expired = true }
        var done = 0
        for table in database.tables {
            if expired { break }
            database.vacuum(table)
            done += 1
        }
        guard done == database.tables.count else {
            task.setTaskCompleted(success: false)
            return
        }
        task.setTaskCompleted(success: true)
    }

    func throwsAfterTheLoop(task: BGProcessingTask) {
        let work = Task {
            do {
                for table in database.tables {
                    if Task.isCancelled { break }
                    await database.analyze(table)
                }
                try Task.checkCancellation()
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func completesInTheLoop(task: BGProcessingTask) {
        let work = Task {
            for table in database.tables {
                if Task.isCancelled {
                    task.setTaskCompleted(success: false)
                    return
                }
                await database.analyze(table)
            }
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { work.cancel() }
    }

    func endsForAnotherReason(task: BGProcessingTask) {
        let work = Task {
            do {
                for table in database.tables {
                    if table.isEmpty { break }
                    try await database.export(table)
                }
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func asksWhatAFunctionGives(task: BGProcessingTask) {
        let work = Task {
            guard await analyzeAll() else {
                task.setTaskCompleted(success: false)
                return
            }
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { work.cancel() }
    }

    func analyzeAll() async -> Bool {
        for table in database.tables {
            guard !Task.isCancelled else { return false }
            await database.analyze(table)
        }
        return true
    }

    func catchesWhatAFunctionThrows(task: BGProcessingTask) {
        let work = Task {
            do {
                try await analyzeOrThrow()
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    func analyzeOrThrow() async throws {
        for table in database.tables {
            if Task.isCancelled { break }
            await database.analyze(table)
        }
        if Task.isCancelled { throw CancellationError() }
    }

    func hasNothingToDo(task: BGProcessingTask) {
        let work = Task {
            guard !database.lastOrder.isCancelled else {
                task.setTaskCompleted(success: true)
                return
            }
            await database.compact()
            task.setTaskCompleted(success: !Task.isCancelled)
        }
        task.expirationHandler = { work.cancel() }
    }

    /// What has expired, or was cancelled, is not the task.
    func removesWhatHasExpired(task: BGProcessingTask) {
        let work = Task {
            do {
                for order in database.orders {
                    if order.isCancelled { continue }
                    guard !order.isExpired else { break }
                    try await database.archive(order)
                }
                while let session = database.oldestSession, !session.isExpired {
                    try await database.refresh(session)
                }
                task.setTaskCompleted(success: true)
            } catch {
                task.setTaskCompleted(success: false)
            }
        }
        task.expirationHandler = { work.cancel() }
    }

    /// The expiration handler completes the task, and `finish` does so once.
    func completesOnce(task: BGProcessingTask) {
        var finished = false
        let finish = { (success: Bool) in
            guard !finished else { return }
            finished = true
            task.setTaskCompleted(success: success)
        }
        var expired = false
        task.expirationHandler = {
            expired = true
            finish(false)
        }
        DispatchQueue.global().async {
            for table in self.database.tables {
                if expired { break }
                self.database.vacuum(table)
            }
            finish(true)
        }
    }

    // Loops that look at the expiration by names of their own.

    func looksAtAFlag(task: BGProcessingTask) {
        var keepsGoing = true
        task.expirationHandler = { keepsGoing = false }
        DispatchQueue.global().async {
            for table in self.database.tables {
                guard keepsGoing else { break }
                self.database.vacuum(table)
            }
            task.setTaskCompleted(success: keepsGoing)
        }
    }

    func looksAtAProperty(task: BGProcessingTask) {
        task.expirationHandler = { self.lock.withLock { self.hasTime = false } }
        for table in database.tables {
            if isOver { break }
            database.vacuum(table)
        }
        task.setTaskCompleted(success: !isOver)
    }

    func looksAtAnObject(task: BGProcessingTask) {
        task.expirationHandler = { self.gate.close() }
        for table in database.tables where gate.isOpen {
            database.vacuum(table)
        }
        task.setTaskCompleted(success: gate.isOpen)
    }

    func looksInAFunction(task: BGProcessingTask) {
        let work = Task {
            for table in database.tables {
                guard mayGoOn() else { break }
                await database.analyze(table)
            }
            task.setTaskCompleted(success: mayGoOn())
        }
        task.expirationHandler = { work.cancel() }
    }

    func mayGoOn() -> Bool { !Task.isCancelled && database.isOpen }
}
