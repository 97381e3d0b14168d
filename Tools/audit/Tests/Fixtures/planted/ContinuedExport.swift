// lists: com.example.photos.export.*
// modes: processing
import BackgroundTasks
import UIKit

final class ExportViewController: UIViewController {
    let identifier = "com.example.photos.export.album"

    @IBAction func exportTapped(_ sender: UIButton) {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in  // expect: strong-self
            self.export(task as! BGContinuedProcessingTask)
        }
        let request = BGContinuedProcessingTaskRequest(
            identifier: identifier, title: "Exporting", subtitle: "0 of 100 photos")
        request.strategy = .enqueue  // expect: no-such-strategy
        if BGTaskScheduler.shared.supportedResources.contains(.gpu) {  // expect: supported-resources-is-static
            request.requiredResources = .gpu
        }
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            show(error)
        }
    }

    func export(_ task: BGContinuedProcessingTask) {  // expect: continued-without-progress
        let work = Task {
            for photo in selection {  // expect: loop-ignores-cancellation
                await writer.write(photo)
            }
            task.setTaskCompleted(success: true)
        }
        task.expirationHandler = { work.cancel() }
    }
}

final class RenderViewModel: ObservableObject {
    func start() {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.photos.export.video", using: .main  // expect: work-on-main-queue
        ) { task in  // expect: strong-self, continued-without-progress
            guard let task = task as? BGContinuedProcessingTask else {
                task.setTaskCompleted(success: false)
                return
            }
            var stopped = false
            task.expirationHandler = { stopped = true }
            for frame in self.frames where !stopped {
                self.render(frame)
            }
            task.setTaskCompleted(success: !stopped)
        }
        let request = BGContinuedProcessingTaskRequest(
            identifier: "com.example.photos.export.video", title: "Rendering", subtitle: "")
        request.strategy = BGContinuedProcessingTaskRequest.SubmissionStrategy.enqueue  // expect: no-such-strategy
        let resources = BGTaskScheduler.shared.supportedResources  // expect: supported-resources-is-static
        print(resources)
        try! BGTaskScheduler.shared.submit(request)  // expect: submit-error-ignored
    }
}
