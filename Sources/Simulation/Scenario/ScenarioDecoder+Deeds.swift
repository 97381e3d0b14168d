// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The events of users, and the models of handlers.
extension ScenarioDecoder {
    private static let deeds = [
        "submit", "push", "cancel", "trigger", "expire", "app", "transfer", "clock",
    ]

    func decodeEvents(_ field: Field) -> [ScriptedEvent] {
        bag.items(of: field, example: "events: [{every: day, at: 08:00, app: open}]").compactMap {
            item in
            guard let fields = Fields(item, ScenarioSections.event, bag, "{at: 26h, app: open}")
            else { return nil }
            let when = decodeRecurrence(fields)
            let deed = decodeDeed(fields)
            guard let when, let deed else { return nil }
            return ScriptedEvent(
                when: when, jitter: fields["jitter"].flatMap(decodeJitter), deed: deed)
        }
    }

    private func decodeDeed(_ fields: Fields) -> ScriptedEvent.ScenarioAction? {
        let given = fields.present(Self.deeds)
        guard let field = given.first, given.count == 1 else {
            return bag.refuse(
                given.isEmpty ? .missingKey : .ambiguousValue, at: given.last?.span ?? fields.span,
                "an event does one thing, this one does \(given.count)",
                help: "write one of \(listed(Self.deeds, joinedBy: "or"))")
        }
        let delay = fields["delay"].flatMap { bag.duration($0, in: .zero ... .days(366)) }
        if let delay = fields["delay"], field.name != "submit" {
            bag.error(.unknownKey, at: delay.span, "only `submit` has a `delay`", help: "drop it")
        }
        for key in fields.present(["payload", "collapse_id"]) where field.name != "push" {
            bag.error(.unknownKey, at: key.span, "only `push` has a `\(key.name)`", help: "drop it")
        }
        switch field.name {
        case "submit":
            return identifier(field).map { .submit(Submission(identifier: $0, delay: delay)) }
        case "push":
            return decodePush(field, fields)
        case "cancel": return identifier(field).map { .cancel($0) }
        case "trigger": return identifier(field).map { .trigger($0) }
        case "expire": return identifier(field).map { .expire($0) }
        case "transfer": return transferName(field).map { .transfer($0) }
        case "app":
            return bag.word(field, [("open", .openApp), ("force-quit", .forceQuit)])
        default: return decodeClock(field)
        }
    }

    /// An identifier without a task is valid: a simulation may test its requests.
    private func identifier(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "\(field.name): com.example.sync") else {
            return nil
        }
        let declared = manifest.tasks.map(\.declaration.identifier)
        if !IdentifierRule(permitting: declared).permits(text) {
            let nearest = bag.nearest(to: text, among: declared)
            bag.warn(
                .notPermitted, at: field.node.span,
                "no task of the manifest handles \(quoted(text))",
                help: nearest.map { "did you mean `\($0)`?" }
                    ?? "it will be refused; declare it in the manifest's tasks")
        }
        return text
    }

    private func decodePush(_ field: Field, _ fields: Fields) -> ScriptedEvent.ScenarioAction? {
        let payload = fields["payload"].flatMap { field -> String? in
            guard let members = bag.members(of: field, example: "payload: {album: 7}")
            else { return nil }
            let silent = [("aps", PushOffer.silentAPS)]
            let own = members.map { ($0.name, JSONText.value($0.node, bag: bag)) }
            return JSONText.object(own.contains { $0.0 == "aps" } ? own : silent + own)
        }
        let collapseID = fields["collapse_id"].flatMap {
            bag.verbatim($0, example: "collapse_id: album-7")
        }
        return pushIdentifier(field).map {
            .push(
                ScriptedEvent.ScenarioPush(
                    identifier: $0, payload: payload ?? PushOffer.empty, collapseID: collapseID))
        }
    }

    private func pushIdentifier(_ field: Field) -> String? {
        guard let text = identifier(field) else { return nil }
        let task = manifest.tasks.first { $0.declaration.identifier == text }
        if let kind = task?.declaration.kind, kind != .push {
            bag.error(
                .wrongType, at: field.node.span,
                "\(quoted(text)) is of kind `\(kind.name)`, a push wakes tasks of kind `push`",
                help: "write `submit: \(text)`")
        }
        return text
    }

    private func decodeClock(_ field: Field) -> ScriptedEvent.ScenarioAction? {
        guard let fields = Fields(field, ScenarioSections.clock, bag, "clock: {forward: 1h}")
        else { return nil }
        let given = fields.present(["forward", "back"])
        guard let way = given.first, given.count == 1 else {
            return bag.refuse(
                .ambiguousValue, at: field.span, "a clock is set forward or back",
                help: "write `clock: {forward: 1h}` or `clock: {back: 1h}`")
        }
        return bag.duration(way, in: .milliseconds(1) ... .days(3_660)).map {
            .setClock(way.name == "back" ? $0.multiplied(by: -1) : $0)
        }
    }

    func decodeHandlers(_ field: Field) -> [String: HandlerModel] {
        let declared = manifest.tasks.map(\.declaration.identifier)
        var handlers: [String: HandlerModel] = [:]
        let example = "handlers: {com.example.sync: {takes: 20s}}"
        for member in bag.members(of: field, example: example) ?? [] {
            let name = member.name
            if name != "*", !declared.contains(name),
                !IdentifierRule(permitting: declared).permits(name)
            {
                bag.error(
                    .unknownKey, at: member.span, "the manifest has no task \(quoted(name))",
                    help: bag.remedy(for: name, among: declared)
                        ?? "name a task of the manifest, or `\"*\"` for all others")
            }
            if let model = decodeHandler(member) { handlers[name] = model }
        }
        return handlers
    }

    private func decodeHandler(_ field: Field) -> HandlerModel? {
        guard
            let fields = Fields(
                field, ScenarioSections.handler, bag, "\(field.name): {takes: 20s}")
        else { return nil }
        var model = HandlerModel()
        model.takes = fields["takes"].flatMap(decodeTakes) ?? model.takes
        if let fails = fields["fails"].flatMap(bag.percentage) {
            model.failureProbability = Double(fails) / 100
        }
        if let stops = fields["stops_in"] {
            model.stopsIn =
                stops.scalar?.text == "never" ? nil : bag.duration(stops, in: .zero ... .hours(1))
        }
        if let checkpoint = fields["checkpoint"] {
            model.checkpoint = decodeCheckpoint(checkpoint) ?? .never
        }
        if let progress = fields["progress"] {
            model.progress =
                progress.scalar?.text == "none" ? nil : bag.duration(progress, in: Self.lengths)
        }
        return model
    }

    private func decodeCheckpoint(_ field: Field) -> HandlerModel.Checkpoint? {
        guard case .mapping = field.node.content else {
            return bag.word(field, [("never", .never), ("when-told", .whenTold)])
        }
        let example = "checkpoint: {every: 30s}"
        return Fields(field, ScenarioSections.checkpoint, bag, example)
            .flatMap { $0["every"] }
            .flatMap { bag.duration($0, in: Self.lengths) }.map { .every($0) }
    }

    private func decodeTakes(_ field: Field) -> Distribution? {
        guard case .mapping = field.node.content else {
            return bag.duration(field, in: Self.lengths).map { .constant($0) }
        }
        guard let fields = Fields(field, ScenarioSections.takes, bag, "takes: {uniform: [5s, 30s]}")
        else { return nil }
        let given = fields.present(["uniform", "normal", "exponential"])
        guard let shape = given.first, given.count == 1 else {
            return bag.refuse(
                .ambiguousValue, at: field.span, "`takes` has one distribution",
                help: "write one of `uniform`, `normal` and `exponential`")
        }
        switch shape.name {
        case "uniform": return decodeUniform(shape)
        case "exponential":
            return bag.duration(shape, in: Self.lengths).map { .exponential(mean: $0) }
        default:
            let example = "normal: {mean: 20s, deviation: 5s}"
            guard
                let normal = Fields(shape, ScenarioSections.normal, bag, example),
                let mean = normal["mean"].flatMap({ bag.duration($0, in: Self.lengths) }),
                let deviation = normal["deviation"].flatMap({
                    bag.duration($0, in: .zero ... .days(366))
                })
            else { return nil }
            return .normal(mean: mean, deviation: deviation)
        }
    }

    private func decodeUniform(_ field: Field) -> Distribution? {
        let bounds = bag.items(of: field, example: "uniform: [5s, 30s]").compactMap {
            bag.duration($0, in: Self.lengths)
        }
        guard bounds.count == 2, bounds[0] <= bounds[1] else {
            if !bag.hasErrors {
                bag.error(
                    .outOfRange, at: field.node.span, "`uniform` has a shortest and a longest time",
                    help: "write `uniform: [5s, 30s]`")
            }
            return nil
        }
        return .uniform(from: bounds[0], to: bounds[1])
    }
}
