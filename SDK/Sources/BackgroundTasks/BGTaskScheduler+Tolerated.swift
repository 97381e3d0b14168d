// SPDX-License-Identifier: Apache-2.0

import Foundation

extension BGTaskScheduler {
    /// `register(forTaskWithIdentifier:using:launchHandler:)` with a queue of the task's own.
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String, launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        register(forTaskWithIdentifier: identifier, using: nil, launchHandler: launchHandler)
    }

    /// What this machine has for continued tasks; the same as that of the class.
    public var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        Self.supportedResources
    }
}
