// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy

/// The transfers of the transfer service.
extension ScenarioDecoder {
    /// Every transfer of the manifest, with its settings in the scenario under `field`.
    func decodeTransfers(_ field: Field?) -> [TransferModel] {
        let given = field.map(entries) ?? [:]
        return manifest.transfers.map { definition in
            let tells = definition.request(at: .epoch).sendsLaunchEvents
            let session = tells ? sessionTasks(definition.name) : []
            var model = TransferModel(
                definition: definition, launches: [definition.then].compactMap(\.self) + session,
                launchesOnFailure: [definition.onFailure].compactMap(\.self) + session)
            if let field = given[definition.name] ?? given["*"] { decode(field, into: &model) }
            return model
        }
    }

    /// The tasks that are notified of a session's end.
    private func sessionTasks(_ session: String) -> [String] {
        manifest.tasks.map(\.declaration)
            .filter { $0.kind == .transfer && $0.identifier == session }.map(\.identifier)
    }

    private func entries(_ field: Field) -> [String: Field] {
        var fields: [String: Field] = [:]
        let example = "transfers: {com.example.catalog: {size: 700MB}}"
        for entry in bag.members(of: field, example: example) ?? [] {
            if entry.name != "*" { report(unknown: entry.name, at: entry.span) }
            fields[entry.name] = entry
        }
        return fields
    }

    func transferName(_ field: Field) -> String? {
        guard let name = bag.text(field, example: "transfer: com.example.catalog") else {
            return nil
        }
        return report(unknown: name, at: field.node.span) ? nil : name
    }

    @discardableResult
    private func report(unknown name: String, at span: SourceSpan) -> Bool {
        let known = manifest.transfers.map(\.name)
        guard !known.contains(name) else { return false }
        bag.error(
            .unknownKey, at: span, "the manifest has no transfer \(quoted(name))",
            help: bag.remedy(for: name, among: known) ?? "name one of the manifest's `transfers`")
        return true
    }

    private func decode(_ field: Field, into model: inout TransferModel) {
        let example = "\(field.name): {size: 700MB, cut: 5%}"
        guard let fields = Fields(field, ScenarioSections.transfer, bag, example)
        else { return }
        if let size = fields["size"].flatMap({ bag.size($0, in: 1...(1 << 50)) }) {
            model.size = size
        }
        if let cut = fields["cut"].flatMap(bag.percentage) {
            model.cutProbability = Double(cut) / 100
        }
        model.canResume = fields["resumes"].flatMap(bag.bool) ?? true
    }
}
