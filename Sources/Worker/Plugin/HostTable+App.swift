// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import CBGRunPlugin
import Glibc

extension HostTable {
    private static let loadedApp = Monitor<LoadedApp?>(nil)

    private struct LoadedApp {
        /// The table for plugins; never freed.
        let table: UInt
        /// Nil: every identifier is permitted.
        let permitted: IdentifierRule?
        let tasks: IdentifierRule
        let byIdentifier: [String: HostMessage.App.Task]
    }

    /// Sets the manifest's data about the app; called once, before a plugin is loaded.
    static func setApp(_ app: HostMessage.App) {
        let table = constant(
            bgrun_app_ext(
                struct_size: UInt32(MemoryLayout<bgrun_app_ext>.size), reserved: 0,
                app: strdup(app.identifier), manifest_directory: strdup(app.manifestDirectory),
                task_kind: { _, identifier in HostTable.task(identifier) { $0.kind } },
                task_requires: { _, identifier in HostTable.task(identifier) { $0.requires } }))
        let loaded = LoadedApp(
            table: UInt(bitPattern: table),
            permitted: app.permitted == ["*"] ? nil : IdentifierRule(permitting: app.permitted),
            tasks: IdentifierRule(permitting: app.tasks.map(\.identifier)),
            byIdentifier: Dictionary(
                app.tasks.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first }))
        loadedApp.change { $0 = loaded }
    }

    static var app: UnsafePointer<bgrun_app_ext>? {
        loadedApp.look { $0.flatMap { UnsafePointer(bitPattern: $0.table) } }
    }

    /// A pattern matches like an identifier: it ends in a character that no identifier contains.
    private static func task(
        _ identifier: UnsafePointer<CChar>?, _ answer: (HostMessage.App.Task) -> UInt8
    ) -> Int32 {
        guard let identifier = identifier.map({ String(cString: $0) }) else {
            return BGRUN_E_INVALID
        }
        return loadedApp.look { app in
            guard let app else { return BGRUN_E_UNAVAILABLE }
            guard app.permitted?.permits(identifier) != false else { return BGRUN_E_NOT_PERMITTED }
            guard let pattern = app.tasks.pattern(for: identifier),
                let task = app.byIdentifier[pattern]
            else { return BGRUN_E_NOT_FOUND }
            return Int32(answer(task))  // fits: 8 bits
        }
    }
}
