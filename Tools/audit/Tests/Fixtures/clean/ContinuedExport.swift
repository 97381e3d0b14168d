// lists: com.example.photos.export.*
// modes: processing
import BackgroundTasks
import UIKit

/// After "Performing long-running tasks on iOS and iPadOS".
final class ExportViewController: UIViewController {
    private let identifier = "com.example.photos.export.album"

    @IBAction func exportTapped(_ sender: UIButton) {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
            [weak self] task in
            guard let self, let task = task as? BGContinuedProcessingTask else {
                task.setTaskCompleted(success: false)
                return
            }
            self.export(task)
        }
        let request = BGContinuedProcessingTaskRequest(
            identifier: identifier, title: "Exporting", subtitle: "0 of \(photos.count) photos")
        request.strategy = .fail
        if BGTaskScheduler.supportedResources.contains(.gpu) {
            request.requiredResources = .gpu
        }
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            show(error)
        }
    }

    private func export(_ task: BGContinuedProcessingTask) {
        var wasExpired = false
        task.expirationHandler = { wasExpired = true }

        let progress = task.progress
        progress.totalUnitCount = Int64(photos.count)
        for photo in photos {
            guard !wasExpired else { break }
            render(photo)
            progress.completedUnitCount += 1
            task.updateTitle(
                task.title, subtitle: "\(progress.completedUnitCount) of \(photos.count) complete")
        }
        task.setTaskCompleted(success: progress.isFinished)
    }
}
