//: task com.example.album.export continued
//: submit com.example.album.export
//: run
//: ends com.example.album.export completed
//: says progress observer fired
//: says observed 100%

import BackgroundTasks
import UIKit

final class AlbumExporter {
    private var observation: NSKeyValueObservation?

    func export(in task: BGContinuedProcessingTask) {
        task.progress.totalUnitCount = 4
        observation = task.progress.observe(\.fractionCompleted, options: [.new]) { progress, change in
            if progress.completedUnitCount == 1 {
                print("progress observer fired")
            }
            print("observed \(Int((change.newValue ?? 0) * 100))%")
        }
        for page in 1...4 {
            task.progress.completedUnitCount = Int64(page)
            task.updateTitle("Album", subtitle: "Page \(page)")
        }
        observation?.invalidate()
        observation = nil
        task.setTaskCompleted(success: true)
    }
}

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(
            forTaskWithIdentifier: "com.example.album.export", using: nil
        ) { task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            AlbumExporter().export(in: task)
        }
        return true
    }
}
