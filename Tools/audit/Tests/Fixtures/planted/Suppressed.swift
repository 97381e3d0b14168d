import BackgroundTasks

final class Suppressed {
    func hidden(task: BGProcessingTask) {
        task.expirationHandler = { Legacy.cancel() }
        sleep(1)  // bgrun:ignore blocking-work a second, on a queue of its own
        // bgrun:ignore blocking-work this one, too
        sleep(1)
        task.setTaskCompleted(success: true)
    }

    func stale(task: BGProcessingTask) {
        task.expirationHandler = { Legacy.cancel() }
        // expect-next: unused-suppression
        // bgrun:ignore blocking-work it was slow once
        Legacy.run { ok in
            task.setTaskCompleted(success: ok)
        }
        // expect-next: unused-suppression
        // bgrun:ignore blocking-wrok misspelt
    }
}
