// SPDX-License-Identifier: Apache-2.0

import BGRunStore

/// The features of a host, and what they are told when it is made.
public struct HostFeatures {
    /// Whether hooks are run; otherwise the log says which would be.
    public var runsHooks = true

    /// Whether what happens outside submits tasks: changes of files, connections, pushes. Not where a
    /// scenario says what happens.
    public var watches = true

    /// The `bgrun-transferd` executable; nil: it is missing.
    public var transferService: String?

    public init() {}

    /// One line for each. They are started in this order, and stopped in the reverse one.
    func make(_ host: any HostContext, _ ports: Host.Ports) throws -> [any HostFeature] {
        let features: [(any HostFeature)?] = [
            ports.state.map { TransfersFeature(host, ports, $0) },
            try HooksFeature(host, ports),
            PathsFeature(host, ports),
            SocketsFeature(host, ports),
            try PushesFeature(host, ports),
            try VisitsFeature(host, ports),
        ]
        return features.compactMap(\.self)
    }
}

extension Host {
    /// The feature of that type.
    func feature<Feature: HostFeature>(_ type: Feature.Type = Feature.self) -> Feature? {
        for case let feature as Feature in features { return feature }
        return nil
    }
}
