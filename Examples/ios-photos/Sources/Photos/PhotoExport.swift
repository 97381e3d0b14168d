// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import Foundation

/// Copies every photo, and reports progress.
func handleExport(task: BGContinuedProcessingTask) {
    let names = Library.shared.names
    task.progress.totalUnitCount = Int64(names.count)

    let work = Task.detached {
        do {
            for (index, name) in names.enumerated() {
                try Task.checkCancellation()
                try Library.shared.export(name)
                task.progress.completedUnitCount = Int64(index + 1)
                task.updateTitle(task.title, subtitle: "\(index + 1) of \(names.count) photos")
            }
            task.setTaskCompleted(success: true)
        } catch {
            print("export stopped: \(error)")
            task.setTaskCompleted(success: false)
        }
    }
    task.expirationHandler = {
        work.cancel()
        print("export cancelled")
    }
}
