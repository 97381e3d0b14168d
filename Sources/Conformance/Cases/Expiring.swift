// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

extension ConformanceCase {
    /// Revoked time.
    static let expiring = [
        ConformanceCase(
            handler: "expire.has", "has an expire callback",
            remedy: "set bgrun_handler.expire: without it the attempt is ended at once, "
                + "and no checkpoint is saved"
        ) { handler in
            try handler.told.cannotBeTold
                ? .warned("it has none: an attempt that runs is ended at once") : .passed
        },
        ConformanceCase(
            handler: "expire.stops", "stops within the grace after being told to expire",
            remedy: "set a flag in expire, look at it (or at is_expired) in every loop, "
                + "and end what blocks", needs: .success
        ) { handler in
            try handler.told.stopping
        },
        ConformanceCase(
            handler: "expire.returns", "returns from launch and expire after being told",
            remedy: "let expire set a flag and return; let launch see it and return",
            needs: .success
        ) { handler in
            let record = try handler.told
            if let verdict = record.nothingToTell { return verdict }
            return record.isIdle ? .passed : .failed("after being told \(record.silence)")
        },
        ConformanceCase(
            handler: "expire.early", "stops when it is told before launch has begun",
            remedy: "look at is_expired first thing in launch, and let expire run before it"
        ) { handler in
            let record = try handler.trial(AttemptScript(told: .beforeLaunch))
            if record.cannotBeTold { return .skipped("it has no expire callback") }
            return record.stopping
        },
        ConformanceCase(
            handler: "expire.unknown-reason",
            "stops for a reason it does not know, from a newer host",
            remedy: "treat an unknown reason as BGRUN_REASON_OTHER", needs: .success
        ) { handler in
            let script = AttemptScript(
                told: .atFirstSign, reason: (number: 4_000, text: "moonrise"))
            return try handler.trial(script, on: .host(minor: 99, hasLongerStructs: true)).stopping
        },
    ]
}

extension AttemptRecord {
    /// The result if it was never notified.
    fileprivate var nothingToTell: CaseStatus? {
        if cannotBeTold { return .skipped("it has no expire callback") }
        return isTold ? nil : .skipped("it had ended before it could be told")
    }

    /// Whether it reported within the grace period.
    fileprivate var stopping: CaseStatus {
        if let verdict = nothingToTell { return verdict }
        return report == nil ? .failed("no report within the grace: \(silence)") : .passed
    }
}
