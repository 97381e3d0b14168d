// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol

/// The plugin with the handlers of an Info.plist, as loaded by a worker.
struct ImportedPlugin {
    /// The file, as written in the manifest.
    let path: String
    let loaded: WorkerMessage.Loaded

    /// Whether it reports the tasks of its handlers, as plugins of the SDK do.
    var tellsTasks: Bool { loaded.registrations != nil }

    /// The identifiers and patterns it has registered.
    var identifiers: [String] {
        (loaded.registrations ?? []).compactMap(\.identifier).removingDuplicates()
    }

    /// The last registration of a task; nil without one, or if the plugin does not report
    /// registrations.
    func registration(for identifier: String) -> Registration? {
        loaded.registrations?.last { $0.identifier != nil && $0.covers(identifier, kind: 0) }
    }

    /// Whether it has a handler for all tasks of a kind, regardless of the identifier.
    func handles(_ kind: TaskKind) -> Bool {
        loaded.registrations?.contains { $0.identifier == nil && $0.taskKind == kind } ?? false
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

    /// The delay of its request as the manifest's `every`; nil without one. Shorter delays are
    /// raised to Apple's 15 minutes.
    func every(_ kind: TaskKind) -> String? {
        guard let delay = delayNanoseconds, delay > 0 else { return nil }
        let least: Int64 = kind == .appRefresh ? 900 : 1
        // The request was submitted shortly before it was reported.
        let seconds = max(least, (delay + 999_999_999) / 1_000_000_000)
        let units: [(Int64, String)] = [(86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
        let unit = units.first { seconds % $0.0 == 0 } ?? (1, "s")
        return "\(seconds / unit.0)\(unit.1)"
    }

    /// The requirements of its request, in the form of the manifest; nil without any.
    var requirements: String? {
        let words = [
            requires & 0x1 != 0 ? "power: external" : nil,
            requires & 0x2 != 0 ? "network: any" : nil,
        ].compactMap(\.self)
        return words.isEmpty ? nil : "{\(words.joined(separator: ", "))}"
    }
}
