// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem

extension Outcome {
    /// The outcome with its details: `expired (time), reported no success`.
    package var sentence: String {
        switch self {
        case .expired(let reason, let reported):
            switch reported {
            case nil: "expired (\(reason.name)), without a report"
            case true?: "expired (\(reason.name)), reported success afterwards"
            case false?: "expired (\(reason.name)), reported no success"
            }
        case .crashed(let signal): "crashed with signal \(signal) (\(SignalName.of(signal)))"
        case .limited(let resource): "limited: \(resource.rawValue)"
        case .exited(let code): "exited with code \(code) without a report"
        case .interrupted: "interrupted when its host died"
        default: name
        }
    }
}
