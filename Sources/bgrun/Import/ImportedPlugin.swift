// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunWire

/// The plugin an Info.plist's handlers are in, as a worker found it.
struct ImportedPlugin {
    /// The file, as the manifest names it.
    let path: String
    let loaded: WorkerMessage.Loaded

    /// Whether it tells for which tasks it has registered a handler, as plugins of the SDK do.
    var tellsTasks: Bool { loaded.registrations != nil }

    /// The identifiers and patterns it has registered.
    var identifiers: [String] {
        (loaded.registrations ?? []).compactMap(\.identifier).removingDuplicates()
    }

    /// The last registration of a task; nil when there is none, or the plugin does not tell.
    func registration(for identifier: String) -> Registration? {
        loaded.registrations?.last {
            $0.identifier != nil && $0.covers(identifier, kind: 0)
        }
    }

    /// The manifest's `handler:` of a task.
    func handler(for identifier: String) -> String {
        if loaded.handlers.contains(WorkerMessage.Loaded.defaultHandler) { return "app" }
        let name = identifier.split(separator: ".").last { $0 != "*" }.map(String.init) ?? ""
        if loaded.handlers.contains(name) { return "app.\(name)" }
        let names = loaded.handlers
        let guess = NearMiss.nearest(to: name, among: names) ?? names.first ?? "run"
        return "app.\(guess)  # guessed; the plugin has \(names.joined(separator: ", "))"
    }
}

extension Registration {
    var taskKind: TaskKind? { TaskKind(rawValue: kind) }

    /// The delay of its request as the manifest's `every`; nil without one. What is asked for too often
    /// is raised to Apple's 15 minutes.
    func every(_ kind: TaskKind) -> String? {
        guard let delay = delayNanoseconds, delay > 0 else { return nil }
        let least: Int64 = kind == .appRefresh ? 900 : 1
        // The request was made some moments before it was told.
        let seconds = max(least, (delay + 999_999_999) / 1_000_000_000)
        let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
        let unit = units.first { seconds % $0.0 == 0 } ?? (1, "s")
        return "\(seconds / unit.0)\(unit.1)"
    }

    /// What its request requires, as the manifest writes it; nil for nothing.
    var requirements: String? {
        let words = [
            requires & 0x1 != 0 ? "power: external" : nil,
            requires & 0x2 != 0 ? "network: any" : nil,
        ].compactMap(\.self)
        return words.isEmpty ? nil : "{\(words.joined(separator: ", "))}"
    }
}
