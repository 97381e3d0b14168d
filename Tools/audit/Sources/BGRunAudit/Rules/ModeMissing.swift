// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Needs a manifest or an Info.plist.
enum ModeMissing: Rule {
    static let id = "mode-missing"
    static let severity = Severity.error
    static let sentence = "The manifest lists the mode of each kind of task."
    static let why = """
        Without its mode (UIBackgroundModes), submit throws notPermitted and silent pushes do not \
        launch the app (Apple: BGTaskScheduler.Error.Code.notPermitted).
        """
    static let remedy = "add the mode to modes (UIBackgroundModes)"

    static func check(_ audit: inout RuleContext) {
        guard let declared = audit.facts.declared else { return }
        for request in audit.facts.requests {
            guard let mode = request.kind.mode, !declared.modes.contains(mode) else { continue }
            audit.report(
                request.call,
                "\(request.kind.requestName) needs the mode \"\(mode)\", which "
                    + "\(declared.source) does not list")
        }
        guard !declared.modes.contains("remote-notification") else { return }
        for handler in CallbackHandler.all(in: audit.program) where handler.kind == .push {
            audit.report(
                handler.function.nameToken,
                "silent pushes need the mode \"remote-notification\", which "
                    + "\(declared.source) does not list")
        }
    }
}
