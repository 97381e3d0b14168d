// SPDX-License-Identifier: Apache-2.0

/// An item of the testing and production-readiness checklists that a run can check.
enum VerifyItem: String, Encodable, CaseIterable {
    case launches
    case completes
    case logOrder = "log-order"
    case expires
    case next
    case forceQuit = "force-quit"
    case refreshOff = "refresh-off"
    case lowPowerMode = "low-power-mode"
    case realDevice = "real-device"

    var sentence: String {
        switch self {
        case .launches: "it is launched when its conditions hold"
        case .completes: "it reports success"
        case .logOrder:
            "the log has Scheduling, Registered, Starting and Task completed, in this order"
        case .expires: "told that its time is over, it stops and completes within the grace"
        case .next: "the next run is requested"
        case .forceQuit: "after a force quit it does not run until the app is opened"
        case .refreshOff: "it does not run while background refresh is off"
        case .lowPowerMode: "it does not run in Low Power Mode"
        case .realDevice: "it completes on this machine, with its real conditions"
        }
    }

    /// - Parameters:
    ///   - isCommand: Whether the task runs a shell command.
    func remedy(manifest: String, isCommand: Bool) -> String {
        switch self {
        case .launches: "`bgrun lint` and `bgrun explain` say what holds it back"
        case .completes:
            "`bgrun run -m \(manifest)` shows what it prints; "
                + (isCommand
                    ? "the command must exit with status 0"
                    : "call complete with success on every path")
        case .logOrder: "the first step that is missing is where the mistake is"
        case .expires: "`bgrun exercise` tells it at every checkpoint; stop, save, complete"
        case .next:
            "add `every`, or have the handler submit the next request before it begins to work; "
                + "write `submit: manual` if each run is submitted by hand"
        case .forceQuit, .refreshOff, .lowPowerMode:
            "`bgrun explain` lists the factors that hold it back"
        case .realDevice: "run it here: `bgrun run -m \(manifest)`"
        }
    }
}

/// The result for one task.
struct VerifiedTask: Encodable {
    var identifier: String
    var items: [Item] = []
    let manifest: String
    /// Whether it runs a shell command.
    let isCommand: Bool

    private enum CodingKeys: CodingKey {
        case identifier, items
    }

    struct Item: Encodable {
        var id: VerifyItem
        var verdict: CheckReport.Word
        var message: String?
    }

    mutating func add(_ id: VerifyItem, _ verdict: CheckReport.Word, _ message: String? = nil) {
        items.append(Item(id: id, verdict: verdict, message: message))
    }

    mutating func add(_ id: VerifyItem, isTrue: Bool, orElse message: String? = nil) {
        add(id, isTrue ? .passed : .failed, isTrue ? nil : message)
    }

    var hasFailed: Bool { items.contains { $0.verdict == .failed } }

    var text: String {
        var lines = [LogText.visible(identifier)]
        for item in items {
            lines.append("  \(item.verdict.word)\(item.id.rawValue): \(item.id.sentence)")
            guard item.verdict != .passed else { continue }
            if let message = item.message { lines.append("          \(LogText.visible(message))") }
            guard item.verdict != .skipped else { continue }
            let remedy = item.id.remedy(manifest: manifest, isCommand: isCommand)
            lines.append("          \(LogText.visible(remedy))")
        }
        return lines.joined(separator: "\n")
    }
}
