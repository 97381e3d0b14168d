// SPDX-License-Identifier: Apache-2.0

/// The kinds of task in the framework, by the names of their classes.
enum TaskKind: String, CaseIterable {
    case appRefresh = "BGAppRefreshTask"
    case processing = "BGProcessingTask"
    case healthResearch = "BGHealthResearchTask"
    case continued = "BGContinuedProcessingTask"

    var className: String { rawValue }
    var requestName: String { rawValue + "Request" }

    /// The mode that a manifest must list; nil for continued tasks, which need none.
    var mode: String? {
        switch self {
        case .appRefresh: "fetch"
        case .processing, .healthResearch: "processing"
        case .continued: nil
        }
    }

    /// The kind of a class named anywhere in `type`, as in `BGAppRefreshTask?`.
    init?(inType type: String) {
        let words = type.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        for kind in Self.allCases where words.contains(Substring(kind.className)) {
            self = kind
            return
        }
        return nil
    }

    /// Whether a type is a task of any kind, `BGTask` included.
    static func isTask(_ type: String) -> Bool {
        let words = type.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        return words.contains("BGTask") || TaskKind(inType: type) != nil
    }
}
