// SPDX-License-Identifier: Apache-2.0

/// A wish to run an identifier.
public struct PluginRequest: Hashable, Sendable {
    public var identifier: String
    /// Not before this has passed; zero for no delay.
    public var delay: Duration
    /// A JSON object laid over the manifest's parameters.
    public var parametersJSON: String?

    public init(identifier: String, delay: Duration = .zero, parametersJSON: String? = nil) {
        self.identifier = identifier
        self.delay = delay
        self.parametersJSON = parametersJSON
    }
}

/// A request that waits.
public struct PendingPluginRequest: Hashable, Sendable {
    public var identifier: String
    public var kind: PluginTask.Kind
    /// Nanoseconds since 1970; nil for no delay.
    public var earliestUnixNanoseconds: Int64?

    public init(identifier: String, kind: PluginTask.Kind, earliestUnixNanoseconds: Int64? = nil) {
        self.identifier = identifier
        self.kind = kind
        self.earliestUnixNanoseconds = earliestUnixNanoseconds
    }
}
