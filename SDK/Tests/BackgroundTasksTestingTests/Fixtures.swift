// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import Foundation

/// Submits a request of the class that the kind of the identifier requires.
func submitting(_ identifier: String, after seconds: TimeInterval? = nil) throws {
    let requests = [
        BGProcessingTaskRequest(identifier: identifier),
        BGAppRefreshTaskRequest(identifier: identifier),
        BGContinuedProcessingTaskRequest(identifier: identifier, title: "", subtitle: ""),
    ]
    for request in requests {
        request.earliestBeginDate = seconds.map { Date(timeIntervalSinceNow: $0) }
        do {
            return try BGTaskScheduler.shared.submit(request)
        } catch BGTaskScheduler.Error.notPermitted where request !== requests.last {
            continue
        }
    }
}

/// Registers a handler that succeeds at once.
func register(_ identifier: String) {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
        task.setTaskCompleted(success: true)
    }
}

/// The reason for the refusal of a request; nil if it is accepted.
func refusal(of identifier: String) -> BGTaskScheduler.Error.Code? {
    do {
        try submitting(identifier)
        return nil
    } catch {
        return (error as? BGTaskScheduler.Error)?.code
    }
}
