// SPDX-License-Identifier: Apache-2.0

import Foundation

extension BGTaskScheduler {
    /// `register(forTaskWithIdentifier:using:launchHandler:)` with a queue for this task.
    @discardableResult
    public func register(
        forTaskWithIdentifier identifier: String, launchHandler: @escaping (BGTask) -> Void
    ) -> Bool {
        register(forTaskWithIdentifier: identifier, using: nil, launchHandler: launchHandler)
    }

    /// The resources of this machine for continued tasks; the same as the class property.
    public var supportedResources: BGContinuedProcessingTaskRequest.Resources {
        Self.supportedResources
    }
}
