// SPDX-License-Identifier: Apache-2.0

extension Exercise {
    /// A rule for tasks whose time is revoked.
    package enum Rule: String, Sendable, CaseIterable {
        case grace
        case returns
        case twice
        case crash
        case assertion
        case resume
        case lostWork = "lost-work"
        case standstill

        package var sentence: String {
            switch self {
            case .grace: "completes within the grace"
            case .returns: "returns from launch and expire"
            case .twice: "completes once"
            case .crash: "survives being told"
            case .assertion: "ends its assertions"
            case .resume: "continues from what it has stored"
            case .lostWork: "repeats nothing that it has stored"
            case .standstill: "makes progress when each attempt is short"
            }
        }

        /// The remedy for the author.
        package var remedy: String {
            switch self {
            case .grace:
                "look at is_expired in every loop and before every wait, and end what blocks in expire"
            case .returns: "let expire set a flag and return, and let launch see it and return"
            case .twice: "let one place call complete: let expire set a flag, and launch report"
            case .crash: "free nothing in expire that launch still uses"
            case .assertion: "end each assertion in expire, too"
            case .resume:
                "read in launch what put has stored, and test it with each step's checkpoint"
            case .lostWork: "begin with the step the checkpoint names, not with the first"
            case .standstill: "store a checkpoint when a step is done, not when it begins"
            }
        }
    }
}
