// SPDX-License-Identifier: Apache-2.0
// Handlers that are registered when a person touches something.
// lists: com.example.refresh, com.example.clean, com.example.sync, com.example.export
// modes: fetch, processing
import BackgroundTasks
import UIKit

final class SettingsViewController: UIViewController {
    private let button = UIButton()

    func someButtonTapped() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.refresh", using: nil) { task in  // expect: registered-late
            Feed.shared.refresh(task)
        }
    }

    func connect() {
        button.addTarget(self, action: #selector(beginCleaning), for: .touchUpInside)
    }

    @objc func beginCleaning() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.clean", using: nil) { task in  // expect: registered-late
            Feed.shared.clean(task)
        }
    }

    func syncSection() -> Button {
        Button("Sync", action: beginSync)
    }

    func beginSync() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.sync", using: nil) { task in  // expect: registered-late
            Feed.shared.sync(task)
        }
    }

    // A continued task is registered when a person asks for it.
    func exportButtonTapped() {
        BGTaskScheduler.shared.register(forTaskWithIdentifier: "com.example.export", using: nil) { task in
            guard let task = task as? BGContinuedProcessingTask else { return }
            Feed.shared.export(task)
        }
        let request = BGContinuedProcessingTaskRequest(
            identifier: "com.example.export", title: "Export", subtitle: "0 of 100 photos")
        do {
            try BGTaskScheduler.shared.submit(request)
        } catch {
            print("Could not export: \(error)")
        }
    }
}
