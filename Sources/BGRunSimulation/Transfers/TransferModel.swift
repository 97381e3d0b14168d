// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunTransfer

/// A transfer of the manifest, and what a scenario says of it.
public struct TransferModel: Hashable, Sendable {
    /// The name the manifest gives it.
    public var name: String
    public var request: TransferRequest
    /// Not before so long after it is submitted.
    public var earliest: Interval
    /// Again so long after it has finished; nil: once.
    public var every: Interval?
    /// The tasks that are submitted when it is there, and when it is given up.
    public var launches: [String]
    public var launchesOnFailure: [String]
    /// The bytes of its file.
    public var size: Int64
    /// How often a try is cut off before its end, from 0 to 1.
    public var cutProbability: Double
    /// Whether the server goes on where a try was cut off.
    public var canResume: Bool

    public static let usualSize: Int64 = 10_000_000

    public init(
        name: String, request: TransferRequest, earliest: Interval = .zero,
        every: Interval? = nil, launches: [String] = [],
        launchesOnFailure: [String] = [], size: Int64 = usualSize,
        cutProbability: Double = 0, canResume: Bool = true
    ) {
        self.name = name
        self.request = request
        self.earliest = earliest
        self.every = every
        self.launches = launches
        self.launchesOnFailure = launchesOnFailure
        self.size = size
        self.cutProbability = cutProbability
        self.canResume = canResume
    }
}
