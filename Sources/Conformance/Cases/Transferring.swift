// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

extension ConformanceCase {
    /// The handling of transfers, own ones and ended ones.
    static let transferring = [
        ConformanceCase(
            handler: "transfer.refused", "completes when a transfer it creates is refused",
            remedy: "check what create returns; continue without the transfer, or report failure"
        ) { handler in
            guard try handler.plain.hasCreatedTransfer else {
                return .skipped("it creates no transfer")
            }
            for status in [BGRUN_E_UNAVAILABLE, BGRUN_E_IO] {
                let record = try handler.trial(AttemptScript(transferStatus: status))
                if record.report == nil { return record.completion }
            }
            return .passed
        },
        ConformanceCase(
            handler: "transfer.ended", "takes in every transfer that has ended",
            remedy: "return BGRUN_OK from the callback for what is dealt with; "
                + "report failure when something has to come again"
        ) { handler in
            try handler.delivered([.download(1), .upload(2), .download(3)]) { record in
                guard record.report?.isSuccess == true, record.untaken > 0 else {
                    return record.completion
                }
                return .failed("it reports success, and \(record.untaken) of 3 were not taken in")
            }
        },
        ConformanceCase(
            handler: "transfer.failed", "completes when a transfer has failed",
            remedy: "look at `error` first: a failed download has no file, and maybe no response"
        ) { handler in
            try handler.delivered([.failure(1), .failure(2)], judge: \.completion)
        },
        ConformanceCase(
            handler: "transfer.again",
            "completes when a transfer comes a second time, its file gone",
            remedy: "take a file that is not there for one that was moved before a crash"
        ) { handler in
            try handler.delivered([.download(1)], withFiles: false, judge: \.completion)
        },
    ]
}

extension HandlerBench {
    /// Judges an attempt that receives these ended transfers.
    fileprivate func delivered(
        _ transfers: [HostMessage.Transfer], withFiles: Bool = true,
        judge: (AttemptRecord) -> CaseStatus
    ) throws -> CaseStatus {
        guard try plain.hasAskedForTransfers else { return .skipped("it asks for no transfers") }
        let files = withFiles ? TrialFiles() : nil
        let ended = transfers.map { transfer in
            var transfer = transfer
            transfer.session = task.identifier
            guard transfer.error == 0 else { return transfer }
            transfer.file = files?.make() ?? "/nowhere/bgrun-trial"
            return transfer
        }
        defer { files?.remove() }
        return judge(try trial(AttemptScript(ended: ended)))
    }
}

extension HostMessage.Transfer {
    private static func ended(_ id: Int64, method: String) -> Self {
        var transfer = Self(
            id: id, state: UInt8(BGRUN_TRANSFER_STATE_COMPLETED), session: "",
            url: "https://example.com/\(id)", method: method)
        transfer.status = 200
        transfer.responseHeaders = "{}"
        return transfer
    }

    fileprivate static func download(_ id: Int64) -> Self {
        var transfer = ended(id, method: "GET")
        transfer.flags = BGRUN_TRANSFER_TEMPORARY
        transfer.received = TrialFiles.size
        transfer.expectedReceive = TrialFiles.size
        return transfer
    }

    fileprivate static func upload(_ id: Int64) -> Self {
        var transfer = ended(id, method: "PUT")
        transfer.flags = BGRUN_TRANSFER_UPLOAD
        transfer.sent = TrialFiles.size
        transfer.expectedSend = TrialFiles.size
        return transfer
    }

    fileprivate static func failure(_ id: Int64) -> Self {
        var transfer = ended(id, method: "GET")
        transfer.status = 0
        transfer.responseHeaders = nil
        transfer.error = BGRUN_TRANSFER_E_TIMED_OUT
        transfer.errorText = "its time is over"
        return transfer
    }
}
