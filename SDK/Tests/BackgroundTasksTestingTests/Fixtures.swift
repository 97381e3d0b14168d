// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks
import Foundation

/// Submits a request; its class does not matter, the manifest says what kind the identifier is.
func submitting(_ identifier: String, after seconds: TimeInterval? = nil) throws {
    let request = BGProcessingTaskRequest(identifier: identifier)
    request.earliestBeginDate = seconds.map { Date(timeIntervalSinceNow: $0) }
    try BGTaskScheduler.shared.submit(request)
}

/// Registers a handler that succeeds at once.
func register(_ identifier: String) {
    BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
        task.setTaskCompleted(success: true)
    }
}

/// Why a request is refused; nil when it is accepted.
func refusal(of identifier: String) -> BGTaskScheduler.Error.Code? {
    do {
        try submitting(identifier)
        return nil
    } catch {
        return (error as? BGTaskScheduler.Error)?.code
    }
}
