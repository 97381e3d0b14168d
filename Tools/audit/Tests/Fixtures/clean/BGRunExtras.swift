import BackgroundTasks

/// bgrun's own forms: the scope completes the task on every path.
final class Photos {
    func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.photos.clean", using: nil) {
            task in
            withBackgroundTask(task) {
                for album in try await albums() {
                    if task.shouldDefer { return }
                    try await clean(album)
                }
            }
        }
    }
}
