// SPDX-License-Identifier: Apache-2.0

public import BGRunCore

/// What of the device counts for transfers. What is not known holds back what needs it.
public struct TransferConditions: Hashable, Sendable {
    public var network: Reading
    public var metered: Reading
    public var externalPower: Reading
    /// The app may move nothing: a person removed it, or switched background refresh off.
    public var isForbidden: Bool

    public init(
        network: Reading = .unknown, metered: Reading = .unknown, externalPower: Reading = .unknown,
        isForbidden: Bool = false
    ) {
        self.network = network
        self.metered = metered
        self.externalPower = externalPower
        self.isForbidden = isForbidden
    }

    public init(_ device: DeviceState, isForbidden: Bool) {
        self.init(
            network: device.network, metered: device.networkMetered,
            externalPower: device.externalPower, isForbidden: isForbidden)
    }

    /// Nothing is moved for an app a person has removed, or switched off in the background (features 2.3).
    public init(_ device: DeviceState, _ app: AppFacts) {
        self.init(
            device, isForbidden: app.isForceQuit || app.refreshSwitch != .available)
    }

    /// No host is there to ask: the network may be tried.
    public static let unknown = TransferConditions()
}

/// The numbers transfers go by; policy.md explains them.
public struct TransferPolicy: Hashable, Sendable, Codable {
    /// Transfers of an app at a time.
    public var parallel: Int
    /// Connections to one host at a time.
    public var connections: Int
    /// Bytes on metered networks in a period; 0: no limit.
    public var meteredBudget: Int64
    public var meteredPeriod: Interval
    /// The maximum size in bytes of a download that does not specify one.
    public var maxSize: Int64

    public init(
        parallel: Int = 100, connections: Int = 6, meteredBudget: Int64 = 0,
        meteredPeriod: Interval = .days(1), maxSize: Int64 = 64 << 30
    ) {
        self.parallel = parallel
        self.connections = connections
        self.meteredBudget = meteredBudget
        self.meteredPeriod = meteredPeriod
        self.maxSize = maxSize
    }
}

extension TransferPolicy {
    /// A number that another version of bgrun omits has its default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func number<Value: Decodable>(_ key: CodingKeys, _ usual: Value) throws -> Value {
            try container.decodeIfPresent(Value.self, forKey: key) ?? usual
        }
        let usual = TransferPolicy()
        self.init(
            parallel: try number(.parallel, usual.parallel),
            connections: try number(.connections, usual.connections),
            meteredBudget: try number(.meteredBudget, usual.meteredBudget),
            meteredPeriod: try number(.meteredPeriod, usual.meteredPeriod),
            maxSize: try number(.maxSize, usual.maxSize))
    }

    public init(_ policy: Policy) {
        self.init(
            parallel: policy.transferParallel, connections: policy.transferConnections,
            meteredBudget: Int64(policy.transferMeteredBytes),
            meteredPeriod: policy.transferMeteredPeriod, maxSize: Int64(policy.transferSize))
    }
}
