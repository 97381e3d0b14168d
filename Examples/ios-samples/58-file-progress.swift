//: task com.example.archive.pack continued
//: submit com.example.archive.pack
//: run
//: ends com.example.archive.pack completed
//: says packed 4 of 4 files, copying true

import BackgroundTasks
import Foundation
import UIKit

@main
class AppDelegate: UIResponder, UIApplicationDelegate {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.archive.pack", using: nil) { task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            let progress = task.progress
            progress.totalUnitCount = 4
            progress.kind = .file
            progress.fileOperationKind = .copying
            progress.fileTotalCount = 4
            progress.localizedDescription = "Packing"
            progress.localizedAdditionalDescription = "4 files"
            for file in 1...4 {
                progress.fileCompletedCount = file
                progress.completedUnitCount = Int64(file)
            }
            let description: String = progress.localizedDescription
            task.updateTitle(task.title, subtitle: description)
            let isCopying = progress.fileOperationKind == .copying
            print("packed \(progress.fileCompletedCount ?? 0) of \(progress.fileTotalCount ?? 0) files, copying \(isCopying)")
            task.setTaskCompleted(success: true)
        }
        return true
    }
}
