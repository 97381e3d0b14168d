// SPDX-License-Identifier: Apache-2.0

/// The numbers by which a daemon divides the machine among its apps.
public struct SharePolicy: Hashable, Sendable {
    /// How long an app that could launch waits for its turn until another one must give back an attempt.
    /// Ours.
    public var reclaimAfter: Interval
    /// How long an app may take to give back an attempt; after that its room is given away nevertheless.
    /// Ours: the longest grace of the shipped policies, and time to kill.
    public var reclaimPatience: Interval

    public init(
        reclaimAfter: Interval = .minutes(10), reclaimPatience: Interval = .minutes(2)
    ) {
        self.reclaimAfter = reclaimAfter
        self.reclaimPatience = reclaimPatience
    }
}
