// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// A wish to run an identifier. The scheduler keeps a copy: to change a submitted request, submit
/// another under the same identifier.
public class BGTaskRequest: NSObject, NSCopying {
    /// The identifier of the task.
    public let identifier: String

    /// Not before this date; nil for no delay. There is no promise of when.
    public var earliestBeginDate: Date?

    /// Names by which people and programs find the request, besides those of its task: 1 to 64 letters, digits,
    /// `.`, `_`, `-`, `:` or `/` each, at most 8 together. Not in Apple's framework (Android: `addTag`).
    public var tags: Set<String> = []

    init(abstractWith identifier: String) {
        self.identifier = identifier
    }

    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = duplicate()
        copy.earliestBeginDate = earliestBeginDate
        copy.tags = tags
        return copy
    }

    /// What it has of a pending request, whatever its class.
    func adopt(_ pending: PendingPluginRequest) {
        earliestBeginDate = pending.earliestUnixNanoseconds.map {
            Date(timeIntervalSince1970: Double($0) / 1_000_000_000)
        }
        tags = pending.tags
    }

    /// An object of the same class with the same identifier and what the class adds.
    func duplicate() -> BGTaskRequest {
        BGTaskRequest(abstractWith: identifier)
    }

    /// What is laid over the manifest's parameters for the sake of the launched task.
    var details: RequestDetails { RequestDetails() }

    /// The kind of task that its class determines; nil for other classes.
    var kind: PluginTask.Kind? { nil }

    /// What it asks the manifest to require.
    var requirements: PluginRequest.Requirements { [] }

    /// Whether it is refused unless it can start immediately.
    var isOnlyImmediate: Bool { false }

    func pluginRequest(now: Date) -> PluginRequest {
        let delay = max(0, earliestBeginDate?.timeIntervalSince(now) ?? 0)
        return PluginRequest(
            identifier: identifier, kind: kind, delay: .seconds(min(delay, Self.longestDelay)),
            parametersJSON: details.json, requirements: requirements,
            isOnlyImmediate: isOnlyImmediate, tags: tags)
    }

    /// A century, in seconds: what is later, is never.
    private static let longestDelay: TimeInterval = 3_155_760_000
}

/// Asks for a short update.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) {
        super.init(abstractWith: identifier)
    }

    override func duplicate() -> BGTaskRequest {
        BGAppRefreshTaskRequest(identifier: identifier)
    }

    override var kind: PluginTask.Kind? { .appRefresh }
}

/// Asks for maintenance that takes minutes.
///
/// What it requires counts besides `requires:` of the manifest.
public class BGProcessingTaskRequest: BGTaskRequest {
    public var requiresNetworkConnectivity = false
    public var requiresExternalPower = false
    /// Whether it waits until no person uses the device, and its attempt expires when a person
    /// returns. Not in Apple's framework (Android: `setRequiresDeviceIdle`). A device that cannot
    /// detect its use never meets this.
    public var requiresDeviceIdle = false

    public init(identifier: String) {
        super.init(abstractWith: identifier)
    }

    override func duplicate() -> BGTaskRequest {
        copyRequirements(to: BGProcessingTaskRequest(identifier: identifier))
    }

    override var requirements: PluginRequest.Requirements {
        var requirements: PluginRequest.Requirements = []
        if requiresNetworkConnectivity { requirements.insert(.network) }
        if requiresExternalPower { requirements.insert(.externalPower) }
        if requiresDeviceIdle { requirements.insert(.idle) }
        return requirements
    }

    override var kind: PluginTask.Kind? { .processing }

    func copyRequirements(to copy: BGProcessingTaskRequest) -> BGProcessingTaskRequest {
        copy.requiresNetworkConnectivity = requiresNetworkConnectivity
        copy.requiresExternalPower = requiresExternalPower
        copy.requiresDeviceIdle = requiresDeviceIdle
        return copy
    }
}

/// Asks for maintenance for a health study.
public final class BGHealthResearchTaskRequest: BGProcessingTaskRequest {
    /// The file protection of the data it needs (Apple); here a word that is kept.
    public var protectionTypeOfRequiredData: String = ""

    override func duplicate() -> BGTaskRequest {
        let copy = BGHealthResearchTaskRequest(identifier: identifier)
        copy.protectionTypeOfRequiredData = protectionTypeOfRequiredData
        return copyRequirements(to: copy)
    }

    override var details: RequestDetails {
        RequestDetails(protection: protectionTypeOfRequiredData)
    }
}
