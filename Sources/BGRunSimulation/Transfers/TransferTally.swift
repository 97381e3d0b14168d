// SPDX-License-Identifier: Apache-2.0

/// What became of one transfer of the manifest. Times are nanoseconds.
public struct TransferTally: Hashable, Sendable {
    public let name: String
    /// How often it was submitted, repeats included.
    public internal(set) var submitted = 0
    public internal(set) var completed = 0
    /// Given up, or cancelled by a force-quit.
    public internal(set) var failed = 0
    /// Tries that were cut off.
    public internal(set) var cuts = 0
    /// Times it was under way and had to stop, since a condition was lost.
    public internal(set) var pauses = 0
    /// Bytes that went over the network, those twice that had to go again.
    public internal(set) var moved: Int64 = 0
    /// The same on metered networks.
    public internal(set) var movedMetered: Int64 = 0
    /// From being submitted to each completion.
    public internal(set) var lengths: [Int64] = []
    /// Time not under way, by what it waited for.
    public internal(set) var blocked: [String: Int64] = [:]
    /// Unfinished at the scenario's end: the bytes that are there, of how many.
    public internal(set) var unfinished: Part?

    public struct Part: Hashable, Sendable {
        public var bytes: Int64
        public var size: Int64
    }
}
