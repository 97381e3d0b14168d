// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

extension ConformanceCase {
    /// The checkpoints of a handler.
    static let checkpointing = [
        ConformanceCase(
            handler: "checkpoint.size", "keeps its checkpoints within 1 MiB",
            remedy: "store where the work is, not the work"
        ) { handler in
            try handler.plain.remarks.contains {
                $0.call == "put" && $0.status == BGRUN_E_TOO_LARGE
            } ? .failed("a checkpoint was too large, and was not stored") : .passed
        },
        ConformanceCase(
            handler: "checkpoint.resumes", "continues from the checkpoint it has stored",
            remedy: "read the checkpoint in launch; what put stored, get gives back",
            needs: .success
        ) { handler in
            let first = try handler.trial(AttemptScript(told: .atCheckpoint(1)))
            guard let checkpoint = first.checkpoint, !checkpoint.data.isEmpty else {
                return .skipped("it stores no checkpoint")
            }
            let second = try handler.trial(AttemptScript()) { $0.checkpoint = checkpoint }
            guard let report = second.report else {
                return .failed("given its checkpoint, no report: \(second.silence)")
            }
            return report.isSuccess
                ? .passed : .failed("given its checkpoint, it reports failure: \(second.message)")
        },
        ConformanceCase(
            handler: "checkpoint.foreign", "completes when the checkpoint is not its own",
            remedy: "check version and size of a checkpoint; start anew when they are not yours"
        ) { handler in
            for (version, count) in [(UInt32.max, 1), (1, 0), (1, 1 << 20)] {
                let record = try handler.trial(AttemptScript()) {
                    $0.checkpoint = HostMessage.Checkpoint(
                        version: version, data: [UInt8](repeating: 0xA5, count: count))
                }
                if record.report == nil {
                    return .failed("given \(count) bytes of version \(version): \(record.silence)")
                }
            }
            return .passed
        },
        ConformanceCase(
            handler: "checkpoint.refused", "completes when no checkpoint can be stored",
            remedy: "check what put returns; continue, or report failure"
        ) { handler in
            guard try handler.plain.checkpointCount > 0 else {
                return .skipped("it stores no checkpoint")
            }
            return try handler.trial(AttemptScript(putStatus: BGRUN_E_IO)).completion
        },
    ]
}
