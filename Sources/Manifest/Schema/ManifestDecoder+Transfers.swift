// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// Downloads and uploads without a handler.
extension ManifestDecoder {
    /// The tasks that transfers launch, as written.
    func followers(_ field: Field) -> Set<String> {
        guard case .mapping(let transfers) = field.node.content else { return [] }
        return Set(
            transfers.flatMap { transfer -> [String] in
                guard case .mapping(let entries) = transfer.value.content else { return [] }
                return entries.filter { ["then", "on_failure"].contains($0.key.text) }
                    .compactMap { Field($0).scalar?.text }
            })
    }

    func decodeTransfers(_ field: Field, _ tasks: [TaskDefinition]) -> [TransferDefinition] {
        let example = "transfers: {com.example.catalog: {download: https://..., to: ./file}}"
        guard let members = bag.members(of: field, example: example) else { return [] }
        // A task that could not be read might be the one that is meant.
        let known = bag.hasErrors ? nil : tasks
        var places: [String: String] = [:]
        return members.compactMap { field in
            guard let transfer = decodeTransfer(field, known) else { return nil }
            if transfer.direction == .download, let file = transfer.file,
                let other = places.updateValue(field.name, forKey: file)
            {
                bag.error(
                    .duplicateEntry, at: field.span,
                    "\(quoted(field.name)) and \(quoted(other)) are downloaded to the same file",
                    help: "give each its own `to`")
            }
            return transfer
        }
    }

    private func decodeTransfer(
        _ field: Field, _ tasks: [TaskDefinition]?
    ) -> TransferDefinition? {
        if !IdentifierRule.isWellFormed(field.name) {
            reportBadIdentifier(field.name, at: field.span)
        }
        let example = "\(field.name): {download: https://example.com/file, to: ./file}"
        guard let fields = Fields(field, .transfer, bag, example),
            let ends = decodeEnds(fields)
        else { return nil }
        let isUpload = ends.direction == .upload
        var request = TransferRequest(
            session: field.name, direction: ends.direction, url: ends.address?.text ?? "",
            file: ends.file ?? "")
        for useless in fields.present(isUpload ? ["sha256", "max_size"] : ["method"]) {
            reportUseless(useless, isUpload ? "for a download" : "for an upload")
        }
        let methods = ["PUT", "POST"].map { (name: $0, word: $0) }
        let method = fields["method"].flatMap { bag.word($0, methods) }
        request.method = isUpload ? method ?? "PUT" : nil
        request.sha256 = fields["sha256"].flatMap(decodeDigest)
        request.isDiscretionary = fields.flag("discretionary") ?? false
        request.allowsMetered = fields.flag("metered") ?? true
        request.then = fields["then"].flatMap { decodeFollower($0, tasks) }
        request.onFailure = fields["on_failure"].flatMap { decodeFollower($0, tasks) }
        request.rate = fields.size("rate")
        request.maxSize = fields.size("max_size")
        request.connections = fields.count("connections")
        let timeout = fields["timeout"].flatMap {
            Fields($0, .timeout, bag, "timeout: {request: 60s, resource: 7d}")
        }
        request.requestTimeout = timeout?.duration("request") ?? request.requestTimeout
        request.resourceTimeout = timeout?.duration("resource") ?? request.resourceTimeout
        request.headers = fields["headers"].map(decodeHeaders) ?? []
        request.retry = fields["retry"].map(decodeTransferRetry) ?? request.retry
        decodeTrust(fields, ends.address, of: &request)
        var transfer = TransferDefinition(template: request, mark: field.span.start)
        transfer.every = fields.duration("every")
        transfer.earliest = fields.duration("earliest") ?? .zero
        return transfer
    }

    private typealias Ends = (
        direction: TransferRequest.Direction, address: AddressText?, file: String?
    )

    /// The source and the destination; an invalid one is nil.
    private func decodeEnds(_ fields: Fields) -> Ends? {
        let direction = fields.one(
            of: ["download", "upload"], "a transfer", lack: "must say what it fetches or sends",
            .notOneDirection, help: "write either `download: https://...` or `upload: ./file`")
        guard let from = direction else { return nil }
        let to = fields["to"]
        return from.name == "download"
            ? (.download, decodeServer(from), to.flatMap { decodeFile($0) })
            : (.upload, to.flatMap(decodeServer), decodeFile(from))
    }

    private func decodeFile(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "\(field.name): ./catalog.db") else { return nil }
        if isDirectory(text, field, help: "name the file: `\(text)catalog.db`") { return nil }
        return base.resolve(text)
    }

    private func decodeServer(_ field: Field) -> AddressText? {
        decodeAddress(
            field, "of a transfer", example: "https://example.com/file",
            help: "write `https://` or `http://`, a host and a path, in ASCII",
            userRemedy: "put user and password into a file, and its name into `credentials`")
    }

    private func decodeFollower(_ field: Field, _ tasks: [TaskDefinition]?) -> String? {
        guard let text = bag.text(field, example: "\(field.name): com.example.import") else {
            return nil
        }
        guard let declared = tasks?.map(\.declaration) else { return text }
        guard !text.hasSuffix("*"),
            IdentifierRule(permitting: declared.map(\.identifier)).permits(text)
        else {
            reportUnknownTask(text, at: field, among: declared.map(\.identifier))
            return nil
        }
        if declared.contains(where: { $0.identifier == text && $0.kind == .continued }) {
            bag.error(
                .continuedSchedule, at: field.node.span,
                "a task of kind `continued` cannot follow a transfer: a person starts it",
                help: "use `kind: processing` for work that starts by itself")
        }
        return text
    }

    private func decodeTransferRetry(_ field: Field) -> TransferRequest.Retry {
        if field.scalar?.text == "never" { return TransferRequest.Retry(attempts: 1) }
        var retry = TransferRequest.Retry()
        let example = "retry: {from: 10s, to: 5h, attempts: 20}"
        guard let fields = Fields(field, .transferRetry, bag, example) else { return retry }
        let (from, to) = (fields.duration("from"), fields.duration("to"))
        retry.from = from ?? retry.from
        retry.to = to ?? max(retry.to, retry.from)
        retry.attempts = fields.count("attempts")
        if let place = fields["from"], let from, let to, from > to {
            bag.error(
                .fromOverTo, at: place.node.span,
                "`from` is longer than `to`: \(Quantity.text(from)) and \(Quantity.text(to))",
                help: "write the first delay as `from`, the longest as `to`")
        }
        return retry
    }

    /// Headers that the service sets itself, because it may transfer only a part of a file.
    private static let ownHeaders: Set<String> = [
        "range", "if-range", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "content-length", "transfer-encoding", "accept-encoding",
        "connection", "host", "expect", "te", "upgrade",
    ]

    private func decodeHeaders(_ field: Field) -> [TransferRequest.Header] {
        let headers = bag.members(of: field, example: "headers: {Accept: application/json}") ?? []
        return headers.compactMap(decodeHeader)
    }

    private func decodeHeader(_ header: Field) -> TransferRequest.Header? {
        let isToken = header.name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
        guard !header.name.isEmpty, isToken else {
            return bag.refuse(
                .badHeader, at: header.span, "\(quoted(header.name)) cannot name a header",
                help: "write a name such as `Accept`")
        }
        guard !Self.ownHeaders.contains(header.name.lowercased()) else {
            return bag.refuse(
                .badHeader, at: header.span,
                "the transfer service sends \(quoted(header.name)) itself", help: "drop it")
        }
        if ["authorization", "cookie", "proxy-authorization"].contains(header.name.lowercased()) {
            bag.warn(
                .notPrivate, at: header.span,
                "every reader of the manifest can read \(quoted(header.name))",
                help: "put it into a private file, and its name into `credentials`")
        }
        guard let value = bag.verbatim(header, example: "\(header.name): text") else { return nil }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            return bag.refuse(
                .badHeader, at: header.node.span,
                "\(quoted(header.name)) contains a control character",
                help: "write the value in one line")
        }
        return TransferRequest.Header(header.name, value)
    }
}
