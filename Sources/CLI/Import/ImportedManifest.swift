// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol

/// A manifest made from an Info.plist, with the guessed and the lost parts.
struct ImportedManifest {
    let app: String
    private var modes: [Mode] = []
    private var identifiers: [String] = []
    private var tasks: [Task] = []
    /// The omissions and additions, one sentence each.
    private(set) var notes: [String] = []
    /// The plugin that holds the handlers; nil: not built yet.
    private let plugin: ImportedPlugin?

    private struct Task {
        var identifier: String
        var guess: KindGuess
        /// The plugin's registration with its request; nil without one.
        var request: Registration?
    }

    typealias Problem = InfoPlist.Problem

    /// - Parameters:
    ///   - app: The app's identifier, in place of the bundle's.
    ///   - plugin: Reads the plugin, which is given the identifier; nil without one.
    init(
        _ plist: InfoPlist, path: String, app: String?, variables: BuildVariables,
        plugin: (_ app: String) throws -> ImportedPlugin?
    ) throws {
        var variables = variables
        if let app { variables.values["PRODUCT_BUNDLE_IDENTIFIER"] = app }
        self.app = try Self.identifier(of: plist, path: path, app: app, variables: variables)
        self.plugin = try plugin(self.app)
        takeModes(plist.backgroundModes)
        for identifier in plist.permittedIdentifiers {
            take(try Self.expand(identifier, variables, path))
        }
        noteUnpermitted()
        // Apple's fetch and silent push have no identifier. A refresh task fetches already.
        let hasRefresh = tasks.contains { $0.guess.kind == .appRefresh }
        if !hasRefresh, self.plugin?.handles(.appRefresh) == true {
            add(".fetch", .appRefresh, "for background fetches")
        }
        if modes.contains(.remoteNotification) { add(".push", .push, "for remote notifications") }
        guard !tasks.isEmpty else {
            throw Problem(message: nothingToImport(from: path, plist))
        }
        addMissingModes()
        notes += plist.otherKeys.map(Self.note(ofKey:))
    }

    private func nothingToImport(from path: String, _ plist: InfoPlist) -> String {
        let reason =
            plist.permittedIdentifiers.isEmpty
            ? "\(path) declares no background task: neither \(InfoPlist.permittedKey) nor the mode "
                + "remote-notification, and no --plugin handles fetches; there is nothing to import"
            : "\(path) has nothing to import"
        return notes.isEmpty ? reason : reason + ": " + notes.joined(separator: "; ")
    }

    private static func identifier(
        of plist: InfoPlist, path: String, app: String?, variables: BuildVariables
    ) throws(Problem) -> String {
        guard let bundle = app ?? plist.bundleIdentifier else {
            throw Problem(message: "\(path) has no CFBundleIdentifier; give --app com.example.app")
        }
        let identifier = try expand(bundle, variables, path)
        guard IdentifierRule.isWellFormed(identifier, wildcard: false) else {
            throw Problem(
                message: "\"\(identifier)\" is not an app identifier: letters, digits, - and _, in "
                    + "parts joined by dots; give --app com.example.app")
        }
        return identifier
    }

    /// The file, ready to be written.
    var yaml: String {
        var lines = ["bgrun: 1", "app: \(Self.scalar(app))"]
        lines.append("modes: [\(modes.map(\.rawValue).joined(separator: ", "))]")
        lines.append("permitted_identifiers:")
        lines += identifiers.map { "  - \(Self.scalar($0))" }
        lines.append("plugins:")
        if let plugin {
            lines.append("  app: \(JSONText.string(plugin.path))")
        } else {
            lines.append("  exec: exec  # replaces the app's plugin: `bgrun plugin new`")
        }
        lines.append("tasks:")
        for task in tasks { lines += Self.lines(of: task, plugin) }
        if !notes.isEmpty {
            lines += ["", "# What was not imported from Info.plist:"]
            lines += notes.map { "#  - \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(of task: Task, _ plugin: ImportedPlugin?) -> [String] {
        var lines = [
            "  \(scalar(task.identifier)):",
            "    kind: \(task.guess.kind.name)  # \(task.guess.reason)",
        ]
        if let plugin {
            lines.append("    handler: \(plugin.handler(for: task.identifier))")
        } else {
            let message = "\(task.identifier) has no handler yet"
            lines.append("    handler: exec.run  # and a handler of the plugin here")
            lines.append(
                "    parameters: {command: \(JSONText.string("echo '\(message)' >&2; false"))}")
        }
        return lines + conditions(of: task)
    }

    /// The times and conditions of its launches; leaves unknown values to the user.
    private static func conditions(of task: Task) -> [String] {
        let isKnown = task.request?.delayNanoseconds != nil
        let every = task.request?.every(task.guess.kind).map {
            "    every: \($0)  # earliestBeginDate of the request it makes at launch"
        }
        switch task.guess.kind {
        case .appRefresh:
            return [every ?? "    # every: 15m  # what the app's code asks for: earliestBeginDate"]
        case .processing:
            let requires =
                isKnown
                ? task.request?.requirements.map { "    requires: \($0)" }
                : "    # requires: {power: external, network: any}  # requiresExternalPower, ..."
            return [every ?? "    # every: 1d  # what the app's code asks for: earliestBeginDate"]
                + [requires].compactMap(\.self)
        case .continued, .push, .transfer: return []
        }
    }

    private mutating func takeModes(_ names: [String]) {
        for name in names {
            if let mode = Mode(rawValue: name) {
                if !modes.contains(mode) { modes.append(mode) }
            } else {
                notes.append("the background mode \(LogText.visible(name)): bgrun has no such mode")
            }
        }
    }

    private mutating func take(_ identifier: String) {
        guard IdentifierRule.isWellFormed(identifier, wildcard: true) else {
            notes.append(
                "the permitted identifier \(LogText.short(identifier)): not made of letters, digits, "
                    + "- and _ in parts joined by dots, with `*` as the last part at most")
            return
        }
        guard !identifiers.contains(identifier) else {
            notes.append("the permitted identifier \(identifier), which is listed twice")
            return
        }
        identifiers.append(identifier)
        var guess = KindGuess(identifier, app: app, modes: Set(modes))
        let registration = plugin?.registration(for: identifier)
        if let kind = registration?.taskKind {
            guess = KindGuess(kind: kind, reason: "as the plugin asks for it")
        } else if registration != nil, !identifier.hasSuffix(".*") {
            // A handler that casts its task to the class of another kind crashes.
            guess.reason += "; compare it with the BGTaskRequest in the app's code"
        }
        // A continued task may be registered when the user starts it.
        let hasHandler = registration != nil || plugin?.handles(guess.kind) == true
        guard plugin?.tellsTasks != true || hasHandler || guess.kind == .continued else {
            notes.append(
                "the permitted identifier \(identifier): the plugin registers no handler for it at "
                    + "its launch" + NearMiss.hint(identifier, among: plugin?.identifiers ?? []))
            return
        }
        tasks.append(Task(identifier: identifier, guess: guess, request: registration))
    }

    private mutating func noteUnpermitted() {
        let permitted = IdentifierRule(permitting: identifiers)
        for identifier in plugin?.identifiers ?? [] where !permitted.permits(identifier) {
            notes.append(
                "the plugin registers \(LogText.short(identifier)), which "
                    + "\(InfoPlist.permittedKey) does not list: register returns false"
                    + NearMiss.hint(identifier, among: identifiers))
        }
    }

    private mutating func add(_ suffix: String, _ kind: TaskKind, _ purpose: String) {
        let identifier = app + suffix
        guard !identifiers.contains(identifier) else { return }
        identifiers.append(identifier)
        tasks.append(
            Task(
                identifier: identifier,
                guess: KindGuess(kind: kind, reason: purpose + "; added by the import")))
    }

    private mutating func addMissingModes() {
        for task in tasks {
            guard let mode = task.guess.kind.requiredMode, !modes.contains(mode) else { continue }
            modes.append(mode)
            notes.append(
                "the mode \(mode.rawValue) was added for \(task.identifier): without it in "
                    + "\(InfoPlist.modesKey), submit fails on iOS (notPermitted)")
        }
    }

    private static func expand(
        _ text: String, _ variables: BuildVariables, _ path: String
    ) throws(Problem) -> String {
        do throws(BuildVariables.Missing) {
            return try variables.expand(text)
        } catch {
            let option =
                error.name == "PRODUCT_BUNDLE_IDENTIFIER"
                ? "--app com.example.app" : "--define \(error.name)=VALUE"
            throw Problem(
                message: "\(path): \(LogText.short(text)) has a variable Xcode replaces when it "
                    + "builds; give \(option)")
        }
    }

    private static func note(ofKey key: String) -> String {
        let why =
            if key.hasPrefix("UI") || key.hasPrefix("CFBundle") || key.hasPrefix("LS") {
                "of the app's bundle and user interface"
            } else if key.hasSuffix("UsageDescription") {
                "Linux does not ask for this permission"
            } else if key == "NSAppTransportSecurity" {
                "the handler decides which connections it allows"
            } else {
                "bgrun has no such setting"
            }
        return "\(LogText.short(key)): \(why)"
    }

    /// An identifier in YAML: plain unless it could be read as another type.
    private static func scalar(_ identifier: String) -> String {
        let isPlain = identifier.contains(".") && identifier.first?.isLetter == true
        return isPlain ? identifier : JSONText.string(identifier)
    }
}
