// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import Foundation

/// A request to run an identifier. The scheduler keeps a copy: to change a submitted request, submit another
/// under the same identifier.
public class BGTaskRequest: NSObject, NSCopying {
    /// The identifier of the task.
    public let identifier: String

    /// The earliest launch; nil for no delay. The actual launch may be much later.
    public var earliestBeginDate: Date?

    /// Names to find the request by, in addition to those of its task: 1 to 64 letters, digits, `.`, `_`, `-`,
    /// `:` or `/` each, at most 8 together. Not in Apple's framework (Android: `addTag`).
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

    /// Adopts the properties of a pending request that all classes share.
    func adopt(_ pending: PendingPluginRequest) {
        earliestBeginDate = pending.earliestUnixNanoseconds.map {
            Date(timeIntervalSince1970: Double($0) / 1_000_000_000)
        }
        tags = pending.tags
    }

    /// A copy of the same class, with the identifier and the properties of the subclass.
    func duplicate() -> BGTaskRequest {
        BGTaskRequest(abstractWith: identifier)
    }

    /// The parameters for the launched task that override the manifest's.
    var details: RequestDetails { RequestDetails() }

    /// The kind of task that its class determines; nil for other classes.
    var kind: PluginTask.Kind? { nil }

    /// Its requirements in addition to those of the manifest.
    var requirements: PluginRequest.Requirements { [] }

    /// Whether it is refused unless it can start immediately.
    var isOnlyImmediate: Bool { false }

    func pluginRequest(now: Date) -> PluginRequest {
        PluginRequest(
            identifier: identifier, kind: kind,
            delay: .clamped(seconds: earliestBeginDate?.timeIntervalSince(now) ?? 0),
            parametersJSON: details.json, requirements: requirements,
            isOnlyImmediate: isOnlyImmediate, tags: tags)
    }
}

/// Requests a short update.
public final class BGAppRefreshTaskRequest: BGTaskRequest {
    public init(identifier: String) {
        super.init(abstractWith: identifier)
    }

    override func duplicate() -> BGTaskRequest {
        BGAppRefreshTaskRequest(identifier: identifier)
    }

    override var kind: PluginTask.Kind? { .appRefresh }
}

/// Requests maintenance that takes minutes.
///
/// Its requirements apply in addition to `requires:` of the manifest.
public class BGProcessingTaskRequest: BGTaskRequest {
    public var requiresNetworkConnectivity = false
    public var requiresExternalPower = false
    /// Whether it waits until the device is not in use, and its attempt expires when the user returns. Not in
    /// Apple's framework (Android: `setRequiresDeviceIdle`). A device that cannot detect its use never meets
    /// this.
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

/// Requests maintenance for a health study.
public final class BGHealthResearchTaskRequest: BGProcessingTaskRequest {
    /// The file protection of the data it needs (Apple); here only stored.
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
