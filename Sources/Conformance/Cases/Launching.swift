// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin

extension ConformanceCase {
    /// Unusual but valid launches: each must end in a report, of success or not.
    static let launching = [
        ConformanceCase(
            handler: "launch.no-parameters", "completes when it is given no parameters",
            remedy: "report failure with a message that names the parameter that is missing"
        ) { handler in
            try handler.mustComplete { $0.parameters = "{}" }
        },
        ConformanceCase(
            handler: "launch.unknown-parameter",
            "completes when a parameter is one it does not know",
            remedy: "report failure with a message that names the parameter, or ignore it"
        ) { handler in
            try handler.mustComplete {
                $0.parameters = adding(#""no-such-key": [null, -1e300, {"": "\u0000"}]"#, $0)
            }
        },
        ConformanceCase(
            handler: "launch.large-parameters", "completes when its parameters are 256 KiB",
            remedy: "copy parameters to memory of their size, never to a buffer of a fixed one"
        ) { handler in
            try handler.mustComplete {
                let long = String(repeating: "x", count: 256 << 10)
                $0.parameters = adding("\"no-such-key\": \"\(long)\"", $0)
            }
        },
        ConformanceCase(
            handler: "launch.newer-host",
            "completes for a newer host: longer structs, an unknown kind",
            remedy: "read the fields the header has; treat an unknown kind as any"
        ) { handler in
            try handler.mustComplete(on: .host(minor: 99, hasLongerStructs: true)) {
                $0.kind = 200
            }
        },
        ConformanceCase(
            handler: "launch.no-extensions", "completes on a host without extensions",
            remedy: "check each get_extension for NULL and do without"
        ) { handler in
            try handler.mustComplete(on: .host(hasExtensions: false), orRefuse: true) { _ in }
        },
        ConformanceCase(
            handler: "launch.unknown-device", "completes when nothing is known of the device",
            remedy: "treat BGRUN_UNKNOWN as neither yes nor no"
        ) { handler in
            try handler.mustComplete { $0.device = .unknown }
        },
        ConformanceCase(
            handler: "launch.no-deadline", "completes without a time limit",
            remedy: "take a deadline_boottime_ns of 0 for \"no limit\", not for \"over\""
        ) { handler in
            let record = try handler.trial(AttemptScript()) { $0.deadlineBoottime = 0 }
            guard let report = record.report else { return record.completion }
            return try handler.plain.report?.isSuccess == true && !report.isSuccess
                ? .failed("with a limit it succeeds, without one it fails: \(record.message)")
                : .passed
        },
        ConformanceCase(
            handler: "launch.later-attempt",
            "completes when it is the thousandth attempt of a request",
            remedy: "use bgrun_launch.attempt for nothing but messages and backoff"
        ) { handler in
            try handler.mustComplete { $0.attemptNumber = 1_000 }
        },
        ConformanceCase(
            handler: "submit.refused", "completes when what it submits is refused",
            remedy: "check what submit returns; continue without the request"
        ) { handler in
            guard try handler.plain.hasSubmitted else { return .skipped("it submits nothing") }
            for status in [BGRUN_E_TOO_MANY_PENDING, BGRUN_E_UNAVAILABLE] {
                let record = try handler.trial(AttemptScript(submitStatus: status))
                if record.report == nil { return record.completion }
            }
            return .passed
        },
    ]

    /// The parameters of a launch with an added one.
    private static func adding(_ pair: String, _ launch: HostMessage.Launch) -> String {
        let old = launch.parameters.drop { $0 != "{" }.dropFirst()
        let isEmpty = old.allSatisfy { $0 == "}" || $0.isWhitespace }
        return "{\(pair)" + (isEmpty ? "}" : ", " + old)
    }
}

extension HandlerBench {
    /// Whether a changed launch ends in a report.
    fileprivate func mustComplete(
        on host: HostMessage.Trial = .thisHost, orRefuse: Bool = false,
        _ change: (inout HostMessage.Launch) -> Void
    ) throws -> CaseStatus {
        let record = try trial(AttemptScript(), on: host, change)
        if record.report == nil {
            if orRefuse, record.death?.hasPrefix("it was refused") == true {
                return .warned("it refuses such a host")
            }
            return record.completion
        }
        return record.cannotBeTold ? .failed("no report within the time limit") : .passed
    }
}
