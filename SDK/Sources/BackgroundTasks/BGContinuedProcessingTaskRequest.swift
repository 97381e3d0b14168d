// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// A request for work that the user has started. It has no earliest date.
public final class BGContinuedProcessingTaskRequest: BGTaskRequest {
    /// The treatment of a request that cannot start immediately.
    public enum SubmissionStrategy: Int, Sendable {
        /// `submit` throws `immediateRunIneligible`.
        case fail = 0
        /// It starts as soon as possible, unless the manifest has `strategy: fail`.
        case queue = 1
    }

    /// The resources the work needs besides a processor.
    public struct Resources: OptionSet, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Only a processor.
        public static let `default`: Resources = []
        /// A graphics processor: `requires: {gpu: true}` in a manifest.
        public static let gpu = Resources(rawValue: 1 << 0)
    }

    /// The title shown beside the progress.
    public var title: String
    /// The subtitle shown beside the progress.
    public var subtitle: String
    public var strategy = SubmissionStrategy.queue
    public var requiredResources: Resources = []

    public init(identifier: String, title: String, subtitle: String) {
        self.title = title
        self.subtitle = subtitle
        super.init(abstractWith: identifier)
    }

    override var kind: PluginTask.Kind? { .continued }

    override func duplicate() -> BGTaskRequest {
        let copy = BGContinuedProcessingTaskRequest(
            identifier: identifier, title: title, subtitle: subtitle)
        copy.strategy = strategy
        copy.requiredResources = requiredResources
        return copy
    }

    override var requirements: PluginRequest.Requirements {
        requiredResources.contains(.gpu) ? .gpu : []
    }

    override var isOnlyImmediate: Bool { strategy == .fail }

    override var details: RequestDetails {
        RequestDetails(title: title, subtitle: subtitle)
    }
}
