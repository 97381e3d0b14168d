//: task com.example.video.export continued
//: submit com.example.video.export {"bgrun.title": "Export", "bgrun.subtitle": "0 %"}
//: run
//: ends com.example.video.export completed
//: says exported 20 chunks

import BackgroundTasks
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        VideoExporter.register()
        return true
    }
}

enum VideoExporter {
    static let identifier = "com.example.video.export"

    static func register() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            export(task)
        }
    }

    static func start() {
        let request = BGContinuedProcessingTaskRequest(
            identifier: identifier, title: "A video export", subtitle: "About to start…")
        request.strategy = .fail
        if BGTaskScheduler.supportedResources.contains(.gpu) {
            request.requiredResources = .gpu
        } else {
            request.requiredResources = .default
        }
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Failed to submit request: \(error)")
        }
    }

    private static func export(_ task: BGContinuedProcessingTask) {
        var shouldContinue = true
        task.expirationHandler = {
            shouldContinue = false
        }

        task.progress.totalUnitCount = 20
        task.progress.completedUnitCount = 0
        while shouldContinue && task.progress.completedUnitCount < task.progress.totalUnitCount {
            Thread.sleep(forTimeInterval: 0.005)
            task.progress.completedUnitCount += 1
            let percent = Int(task.progress.fractionCompleted * 100)
            task.updateTitle(task.title, subtitle: "Completed \(percent)%")
        }
        print("exported \(task.progress.completedUnitCount) chunks")
        task.setTaskCompleted(success: shouldContinue)
    }
}
