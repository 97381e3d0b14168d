// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation
import Synchronization

/// Work that the user has started, with visible progress. Kind `continued` of the manifest.
///
/// Progress must be reported: a task without it expires.
public final class BGContinuedProcessingTask: BGTask, ProgressReporting, @unchecked Sendable {
    /// The completed part of the work; bgrun shows each change.
    public let progress: Progress
    private let titles: Mutex<(title: String, subtitle: String)>

    init(continuing attempt: PluginTask, runtime: PluginRuntime, queue: DispatchQueue) {
        let details = RequestDetails(attempt.parametersJSON)
        progress = ReportedProgress(to: attempt)
        titles = Mutex((details.title ?? "", details.subtitle ?? ""))
        super.init(attempt, runtime: runtime, queue: queue)
        attempt.setTitle(details.title, subtitle: details.subtitle)
    }

    /// The title shown beside the progress.
    public var title: String { titles.withLock { $0.title } }

    /// The subtitle shown beside the progress.
    public var subtitle: String { titles.withLock { $0.subtitle } }

    /// Changes both.
    public func updateTitle(_ title: String, subtitle: String) {
        titles.withLock { $0 = (title, subtitle) }
        attempt.setTitle(title, subtitle: subtitle)
    }
}
