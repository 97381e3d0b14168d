// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

/// The moment at which a trial revokes the handler's time, and its answers to the handler's calls.
struct AttemptScript {
    enum Moment {
        /// At the time limit.
        case never
        /// Before its launch.
        case beforeLaunch
        /// At its first report or checkpoint, at the latest after a tenth of a second.
        case atFirstSign
        /// At the given checkpoint, counted from 1.
        case atCheckpoint(Int)
        /// This many nanoseconds after its launch.
        case after(Int64)
    }

    var told: Moment = .never
    var reason = (number: BGRUN_REASON_TIME, text: "time")
    /// The answer to every `put`.
    var putStatus = BGRUN_OK
    /// The answer to every `submit`; nil: as the manifest permits.
    var submitStatus: Int32?
    /// The answer to every creation of a transfer.
    var transferStatus = BGRUN_OK
    /// The ended transfers, in this order.
    var ended: [HostMessage.Transfer] = []
}

/// The behaviour of an attempt, as seen by its host.
struct AttemptRecord {
    struct Report {
        var isSuccess: Bool
        var message: String?
    }

    struct Remark: Equatable {
        var attempt: Int64
        var call: String
        var status: Int32
    }

    struct Progress: Equatable {
        var completed: Int64
        var total: Int64
    }

    /// The maximum number of kept records of each kind, for any handler.
    static let most = 10_000

    let attempt: Int64
    var report: Report?
    /// Whether it was notified of its expiry, for another reason than the time limit.
    var isTold = false
    var isOverdue = false
    /// It had reported before it could be notified.
    var wasTooQuick = false
    /// It is idle again: launch has returned.
    var isIdle = false
    var leftovers: WorkerMessage.Leftovers = []
    /// The end of the worker, if it ended by itself, or the reason why it could not be used.
    var death: String?
    /// Whether the worker ended by itself.
    var isDead = false
    var hasClosedChannel = false
    var spokeNonsense = false
    var remarks: [Remark] = []
    var progress: [Progress] = []
    /// The number of stored checkpoints, the newest one, and the progress at that time.
    private(set) var checkpointCount = 0
    private(set) var checkpoint: HostMessage.Checkpoint?
    private(set) var progressAtCheckpoint: Progress?
    private(set) var hasSubmitted = false
    private(set) var refusedIdentifiers: [String] = []
    var hasCreatedTransfer = false
    var hasAskedForTransfers = false
    /// The number of ended transfers that it has not acknowledged.
    var untaken = 0
    var heldAssertions: [String] = []
    /// The times from its launch, and from its notification, to its report.
    var nanoseconds: Int64 = 0
    var lastLine: String?

    mutating func store(_ checkpoint: HostMessage.Checkpoint) {
        checkpointCount += 1
        self.checkpoint = checkpoint
        progressAtCheckpoint = progress.last
    }

    mutating func submit(_ identifier: String, isPermitted: Bool) {
        hasSubmitted = true
        if !isPermitted, refusedIdentifiers.count < 10 { refusedIdentifiers.append(identifier) }
    }

    /// It has no `expire`, and was ended in place of a notification.
    var cannotBeTold: Bool { report?.message == WorkerMessage.cannotBeTold }

    /// Whether it called `complete` again after its report.
    var hasCompletedAgain: Bool {
        remarks.contains { $0.call == "complete" && $0.attempt == attempt }
    }

    /// The reason for a missing report, as a clause.
    var silence: String {
        if let death { return death }
        if spokeNonsense { return "it wrote to bgrun's channel" }
        if hasClosedChannel { return "it closed bgrun's channel" }
        return isIdle ? "launch returned" : "it continued"
    }

    /// Whether it has reported.
    var completion: CaseStatus { report == nil ? .failed("no report: \(silence)") : .passed }

    /// Its message, or a placeholder.
    var message: String { report?.message ?? "no message" }
}
