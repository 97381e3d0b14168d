// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// A request to run an identifier.
public struct PluginRequest: Hashable, Sendable {
    public var identifier: String
    /// The kind of task, determined by the request's class; nil if the class does not determine
    /// one.
    public var kind: PluginTask.Kind?
    /// The minimum delay; zero for none.
    public var delay: Duration
    /// A JSON object that overrides the manifest's parameters, key by key.
    public var parametersJSON: String?
    /// The requirements in addition to those of the task. A host of ABI 1.1 only uses the manifest.
    public var requirements: Requirements
    /// Whether it is refused unless it can start immediately. A host of ABI 1.3 uses only the
    /// manifest.
    public var isOnlyImmediate: Bool
    /// Names to find it by, in addition to those of its task. A host of ABI 1.4 ignores them.
    public var tags: Set<String>

    /// The requirements of `requires:` in the manifest.
    public struct Requirements: OptionSet, Hashable, Sendable {
        public let rawValue: Int32

        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        public static let externalPower = Requirements(rawValue: BGRUN_REQUIRES_POWER)
        public static let network = Requirements(rawValue: BGRUN_REQUIRES_NETWORK)
        /// The device is not in use.
        public static let idle = Requirements(rawValue: BGRUN_REQUIRES_IDLE)
        public static let gpu = Requirements(rawValue: BGRUN_REQUIRES_GPU)
    }

    public init(
        identifier: String, kind: PluginTask.Kind? = nil, delay: Duration = .zero,
        parametersJSON: String? = nil, requirements: Requirements = [],
        isOnlyImmediate: Bool = false, tags: Set<String> = []
    ) {
        self.isOnlyImmediate = isOnlyImmediate
        self.tags = tags
        self.identifier = identifier
        self.kind = kind
        self.delay = delay
        self.parametersJSON = parametersJSON
        self.requirements = requirements
    }
}

/// A waiting request.
public struct PendingPluginRequest: Hashable, Sendable {
    public var identifier: String
    public var kind: PluginTask.Kind
    /// Nanoseconds since 1970; nil for no delay.
    public var earliestUnixNanoseconds: Int64?
    /// As submitted, like the next two properties.
    public var requirements: PluginRequest.Requirements
    public var parametersJSON: String?
    public var isOnlyImmediate: Bool
    /// Its own tags and those of its task.
    public var tags: Set<String>

    public init(
        identifier: String, kind: PluginTask.Kind, earliestUnixNanoseconds: Int64? = nil,
        requirements: PluginRequest.Requirements = [], parametersJSON: String? = nil,
        isOnlyImmediate: Bool = false, tags: Set<String> = []
    ) {
        self.tags = tags
        self.identifier = identifier
        self.kind = kind
        self.earliestUnixNanoseconds = earliestUnixNanoseconds
        self.requirements = requirements
        self.parametersJSON = parametersJSON
        self.isOnlyImmediate = isOnlyImmediate
    }
}
