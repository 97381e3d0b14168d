import BackgroundTasks

/// bgrun's own forms: the scope completes the task on every path.
final class Photos {
    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.photos.clean", using: nil) {
            task in
            withBackgroundTask(task) { task in
                for album in try await albums() {
                    if task.shouldDefer { return }
                    try await clean(album)
                }
            }
        }
            BGTaskScheduler.shared.register("com.example.photos.refresh") { task in
            schedule()
            try await Library.refresh()
        }
    }

    func schedule() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.photos.refresh")
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not schedule: \(error)")
        }
    }

    func castOnly() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.photos.export", using: nil) {
            task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            self.export(task)
        }
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.photos.index", using: nil) {
            task in
            if task is BGProcessingTask {
                self.index(task as! BGProcessingTask)
            }
        }
    }
}
