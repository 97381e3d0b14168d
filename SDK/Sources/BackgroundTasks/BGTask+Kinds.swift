// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// A short update, about 30 seconds. Mode `fetch`, kind `app-refresh` of the manifest.
public final class BGAppRefreshTask: BGTask, @unchecked Sendable {}

/// Maintenance that takes minutes. Mode `processing`, kind `processing` of the manifest.
public class BGProcessingTask: BGTask, @unchecked Sendable {}

/// Maintenance for a health study; here a processing task with `bgrun.health-research` in its
/// parameters.
public final class BGHealthResearchTask: BGProcessingTask, @unchecked Sendable {}

extension BGTask {
    /// The task object for an attempt, of the class for its kind in the manifest.
    static func make(
        _ attempt: PluginTask, runtime: PluginRuntime, queue: DispatchQueue
    ) -> BGTask {
        switch attempt.kind {
        case .appRefresh:
            BGAppRefreshTask(attempt, runtime: runtime, queue: queue)
        case .processing where RequestDetails(attempt.parametersJSON).protection != nil:
            BGHealthResearchTask(attempt, runtime: runtime, queue: queue)
        case .processing:
            BGProcessingTask(attempt, runtime: runtime, queue: queue)
        case .continued:
            BGContinuedProcessingTask(continuing: attempt, runtime: runtime, queue: queue)
        case .push, .transfer, nil:
            BGTask(attempt, runtime: runtime, queue: queue)
        }
    }
}
