// SPDX-License-Identifier: Apache-2.0

/// The device state that transfers depend on. An unknown value holds back transfers that need it.
package struct TransferConditions: Equatable, Sendable {
    package var network: Reading
    package var metered: Reading
    package var externalPower: Reading
    /// The app may not transfer: a person removed it, or switched background refresh off.
    package var isForbidden: Bool

    package init(
        network: Reading = .unknown, metered: Reading = .unknown, externalPower: Reading = .unknown,
        isForbidden: Bool = false
    ) {
        self.network = network
        self.metered = metered
        self.externalPower = externalPower
        self.isForbidden = isForbidden
    }

    /// Nothing is transferred for an app that a person removed or switched off in the background (features 2.3).
    package init(_ device: DeviceState, _ app: AppFacts) {
        self.init(
            network: device.network, metered: device.networkMetered,
            externalPower: device.externalPower,
            isForbidden: app.isForceQuit || app.refreshSwitch != .available)
    }

    /// No host reports the device: the network may be tried.
    package static let unknown = TransferConditions()
}

/// The numbers for transfers; policy.md explains them.
package struct TransferPolicy: Equatable, Sendable, Codable {
    /// The maximum number of running transfers of an app.
    package var parallel: Int
    /// The maximum number of connections to one host.
    package var connections: Int
    /// Bytes on metered networks in a period; 0: no limit.
    package var meteredBudget: Int64
    package var meteredPeriod: Interval
    /// The maximum size in bytes of a download that does not specify one.
    package var maxSize: Int64

    package init(
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
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func take<Number: Decodable>(_ number: inout Number, _ key: CodingKeys) throws {
            number = try container.decodeIfPresent(Number.self, forKey: key) ?? number
        }
        self.init()
        try take(&parallel, .parallel)
        try take(&connections, .connections)
        try take(&meteredBudget, .meteredBudget)
        try take(&meteredPeriod, .meteredPeriod)
        try take(&maxSize, .maxSize)
    }

    package init(_ policy: Policy) {
        self.init(
            parallel: policy.transferParallel, connections: policy.transferConnections,
            meteredBudget: Int64(policy.transferMeteredBytes),
            meteredPeriod: policy.transferMeteredPeriod, maxSize: Int64(policy.transferSize))
    }
}
