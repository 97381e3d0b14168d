// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy

/// Permissions, for people.
enum PermissionsText {
    /// One row for each task.
    static func summary(_ views: [PermissionsView]) -> String {
        var table = Table("IDENTIFIER", "PROFILE", "WRITES", "READS", "NETWORK", "EXPOSURE")
        for view in views {
            let isConfined = view.network != nil
            table.add(
                view.identifier, view.profile,
                isConfined ? list(view.write?.granted) : "all",
                isConfined ? list(view.read?.granted) : "all", network(view.network),
                exposure(view))
        }
        let lacks = Set(views.flatMap { $0.lacks ?? [] }).sorted()
        return table.text
            + (lacks.isEmpty
                ? "" : "\n\nThis machine lacks " + lacks.joined(separator: ", ") + ".")
    }

    static func details(_ view: PermissionsView) -> String {
        var table = Table("WHAT", "PERMITTED")
        table.add("profile", view.profile + (view.enforce.map { ", enforce: \($0)" } ?? ""))
        if view.network == nil {
            table.add("everything", "that its user may do")
        } else {
            add(view, to: &table)
        }
        var facts = Table("POINTS", "EXPOSURE \(exposure(view))")
        for item in view.exposure.items {
            facts.add(item.points.tenths, LogText.visible(item.text))
        }
        return [view.identifier, table.text, facts.text].joined(separator: "\n\n")
    }

    private static func add(_ view: PermissionsView, to table: inout Table) {
        add("writes", view.write, to: &table)
        table.add("has", temporary(view))
        add("reads", view.read, to: &table)
        if view.hidden?.isEmpty == false { table.add("hidden", list(view.hidden)) }
        if view.missing?.isEmpty == false { table.add("missing", list(view.missing)) }
        table.add("network", network(view.network))
        table.add("sockets", list(view.sockets))
        table.add("devices", list(view.devices))
        table.add("limits", limits(view))
        table.add("environment", list(view.keptVariables))
        table.add("worker", view.reuse == "never" ? "ends after each attempt" : "is kept warm")
        if view.lacks?.isEmpty == false { table.add("lacks", list(view.lacks)) }
    }

    /// The grants, then what the profile has.
    private static func add(
        _ name: String, _ files: PermissionsView.Files?, to table: inout Table
    ) {
        let granted = files?.granted ?? []
        if !granted.isEmpty { table.add(name, list(granted) + " (confine)") }
        // Every profile has devices such as /dev/null.
        let others = (files?.others ?? []).filter { !$0.hasPrefix("/dev/") }
        if !others.isEmpty { table.add(granted.isEmpty ? name : "", list(others) + " (profile)") }
    }

    private static func network(_ network: PermissionsView.Network?) -> String {
        guard let network else { return "all" }
        var parts: [String] = []
        if network.connect != [] { parts.append("connect \(ports(network.connect))") }
        if network.listen != [] { parts.append("listen \(ports(network.listen))") }
        if network.udp { parts.append("UDP") }
        return parts.isEmpty ? "-" : parts.joined(separator: ", ")
    }

    private static func ports(_ ports: [UInt16]?) -> String {
        ports.map { $0.map(String.init).joined(separator: " ") } ?? "any"
    }

    private static func temporary(_ view: PermissionsView) -> String {
        if let note = notLimited("temporary", view) {
            return list(view.temporary) + " of the machine" + note
        }
        let size = view.temporaryBytes.map(Quantity.text(bytes:)) ?? "-"
        return list(view.temporary) + " of its own, up to \(size) each"
    }

    /// What follows a limit that has no effect here.
    private static func notLimited(_ key: String, _ view: PermissionsView) -> String? {
        view.notLimited?[key].map { " (not limited here: \($0))" }
    }

    private static func limits(_ view: PermissionsView) -> String {
        let limits = view.limits
        var parts: [String] = []
        if let tasks = limits?.tasks {
            parts.append("\(tasks) processes and threads" + (notLimited("tasks", view) ?? ""))
        }
        if let memory = limits?.memory { parts.append("\(Quantity.text(bytes: memory)) of memory") }
        if let files = limits?.files { parts.append("\(files) open files") }
        if let size = limits?.fileSize {
            parts.append("files up to \(Quantity.text(bytes: size))")
        }
        if let time = limits?.processorMilliseconds {
            parts.append("\(Interval.milliseconds(time).text) of processor time")
        }
        if let nice = limits?.nice, nice > 0 { parts.append("nice \(nice)") }
        return list(parts)
    }

    private static func exposure(_ view: PermissionsView) -> String {
        "\(view.exposure.score.tenths) \(view.exposure.word)"
    }

    private static func list(_ texts: [String]?) -> String {
        guard let texts, !texts.isEmpty else { return "-" }
        return texts.map(LogText.visible).joined(separator: ", ")
    }
}
