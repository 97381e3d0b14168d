// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

/// When a trial tells the handler that its time is revoked, and how it answers the handler's calls.
struct AttemptScript {
    enum Moment {
        /// When the time limit is over.
        case never
        /// Before it is launched.
        case beforeLaunch
        /// As soon as it has said or stored anything, at the latest after a tenth of a second.
        case atFirstSign
        /// When it has stored so many checkpoints.
        case atCheckpoint(Int)
        /// So many nanoseconds after it was launched.
        case after(Int64)
    }

    var told: Moment = .never
    var reason = (number: BGRUN_REASON_TIME, text: "time")
    /// What every `put` is answered.
    var putStatus = BGRUN_OK
    /// What every `submit` is answered; nil: what the manifest permits.
    var submitStatus: Int32?
    /// What every creation of a transfer is answered.
    var transferStatus = BGRUN_OK
    /// The transfers that have ended, in that order.
    var ended: [HostMessage.Transfer] = []
}

/// What an attempt did, as far as its host can see.
struct AttemptRecord {
    struct Report {
        var isSuccess: Bool
        var message: String?
    }

    struct Remark: Hashable {
        var attempt: Int64
        var call: String
        var status: Int32
    }

    struct Progress: Hashable {
        var completed: Int64
        var total: Int64
    }

    /// How much is kept of each thing, whatever a handler does.
    static let most = 10_000

    let attempt: Int64
    var report: Report?
    /// Whether it was told to expire, and for another reason than that the limit was over.
    var isTold = false
    var isOverdue = false
    /// It had reported before it could be told.
    var wasTooQuick = false
    /// It is idle again: launch has returned.
    var isIdle = false
    var leftovers: WorkerMessage.Leftovers = []
    /// How the worker ended, if it did so by itself, or why it could not be used.
    var death: String?
    /// Whether the worker ended by itself.
    var isDead = false
    var hasClosedChannel = false
    var spokeNonsense = false
    var remarks: [Remark] = []
    var progress: [Progress] = []
    /// How often a checkpoint was stored, the newest, and the progress at that time.
    private(set) var checkpointCount = 0
    private(set) var checkpoint: HostMessage.Checkpoint?
    private(set) var progressAtCheckpoint: Progress?
    private(set) var hasSubmitted = false
    private(set) var refusedIdentifiers: [String] = []
    var hasCreatedTransfer = false
    var hasAskedForTransfers = false
    /// How many that have ended it has not taken in.
    var untaken = 0
    var heldAssertions: [String] = []
    /// From its launch, and from being told, to its report.
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

    /// It has no `expire`, and was ended when it was to be told.
    var cannotBeTold: Bool { report?.message == WorkerMessage.cannotBeTold }

    /// Whether it called `complete` again after its report.
    var hasCompletedAgain: Bool {
        remarks.contains { $0.call == "complete" && $0.attempt == attempt }
    }

    /// Why there was no report, as a clause.
    var silence: String {
        if let death { return death }
        if spokeNonsense { return "it wrote to bgrun's channel" }
        if hasClosedChannel { return "it closed bgrun's channel" }
        return isIdle ? "launch returned" : "it continued"
    }

    /// Whether it has reported.
    var completion: CaseStatus { report == nil ? .failed("no report: \(silence)") : .passed }

    /// Its message, or what stands for it.
    var message: String { report?.message ?? "no message" }
}
