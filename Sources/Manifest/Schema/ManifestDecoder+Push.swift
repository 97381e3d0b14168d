// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// `push:`, the sources of silent pushes.
extension ManifestDecoder {
    func decodePush(_ field: Field, _ tasks: [TaskDefinition]) -> PushSources? {
        guard let fields = Fields(field, .push, bag, "push: {inbox: ./inbox}") else { return nil }
        let declared = tasks.map(\.declaration).filter { $0.kind == .push }
        // An unreadable task might have been one.
        if declared.isEmpty, !bag.hasErrors {
            reportUseless(
                field, "with a task of kind `push`", help: "declare one under `tasks`, or drop it")
        }
        let sources = PushSources(
            inbox: fields["inbox"].flatMap { decodePushPlace($0, declared, isSocket: false) },
            socket: fields["socket"].flatMap { decodePushPlace($0, declared, isSocket: true) },
            webhook: fields["webhook"].flatMap(decodeWebhook),
            mqtt: fields["mqtt"].flatMap { decodeMQTT($0, declared) })
        if sources == PushSources(), !bag.hasErrors {
            bag.error(
                .wrongType, at: field.node.span, "`push` names no source",
                help: "write `inbox: ./inbox`, or drop it")
        }
        return sources
    }

    private func decodePushPlace(
        _ field: Field, _ declared: [TaskDeclaration], isSocket: Bool
    ) -> PushSources.Place? {
        let example = isSocket ? "socket: ./push.sock" : "inbox: ./inbox"
        guard case .mapping = field.node.content else {
            return pushPath(field, example, isSocket).map { PushSources.Place(path: $0) }
        }
        guard let fields = Fields(field, .pushPlace, bag, example) else { return nil }
        let task = fields["task"].flatMap { decodePushTask($0, declared) }
        return fields["path"].flatMap { pushPath($0, example, isSocket) }.map {
            PushSources.Place(path: $0, task: task)
        }
    }

    private func pushPath(_ field: Field, _ example: String, _ isSocket: Bool) -> String? {
        guard let text = bag.text(field, example: example) else { return nil }
        return isSocket ? socketPath(field, text) : base.resolve(text)
    }

    private func decodePushTask(_ field: Field, _ declared: [TaskDeclaration]) -> String? {
        guard let text = bag.text(field, example: "task: com.example.changed") else { return nil }
        let names = declared.map(\.identifier)
        guard bag.hasErrors || IdentifierRule(permitting: names).permits(text) else {
            reportUnknownTask(text, at: field, among: names, " of kind `push`")
            return nil
        }
        return text
    }

    private func decodeWebhook(_ field: Field) -> PushSources.Webhook? {
        let example = "webhook: {listen: 127.0.0.1:8765, token: ./token}"
        guard let fields = Fields(field, .webhook, bag, example) else { return nil }
        let token = existingFile(fields["token"], "token: ./token", what: "file of the token")
        if options.checksSecrets, let field = fields["token"], let token {
            checkPrivate(field, token)
            checkLength(field, token)
        }
        guard let listen = fields["listen"],
            let text = bag.verbatim(listen, example: "listen: 127.0.0.1:8765")
        else { return nil }
        guard case .tcp(let host, let port) = SocketAddress(tcp: text),
            host.hasPrefix("127.") || host == "::1"
        else {
            return bag.refuse(
                .badSocket, at: listen.node.span,
                "\(quoted(text)) is not an address of this machine alone, with a port from 1 to 65535",
                help: "write `127.0.0.1:8765`, and put a proxy in front of it for other machines")
        }
        return token.map { PushSources.Webhook(host: host, port: port, token: $0) }
    }

    /// Another user's token cannot be read here, which is not an error of the manifest.
    private func checkLength(_ field: Field, _ token: String) {
        let problem: String
        do throws(SourceFile.Failure) {
            let bytes = try SourceFile.read(token, limit: PushSources.Webhook.largestTokenFile)
            guard PushSources.Webhook.token(in: bytes) == nil else { return }
            problem = PushSources.Webhook.shortage
        } catch {
            guard case .tooLarge = error else { return }
            problem = "over \(PushSources.Webhook.largestTokenFile) bytes"
        }
        bag.error(
            .outOfRange, at: field.node.span,
            "the token in \(quoted(token, limit: 200)) has \(problem)",
            help: "write a random one: `openssl rand -hex 32`")
    }

    private func decodeMQTT(_ field: Field, _ declared: [TaskDeclaration]) -> PushSources.MQTT? {
        let example = "mqtt: {broker: mqtts://broker.example.com, topics: [photos/changed]}"
        guard let fields = Fields(field, .mqtt, bag, example) else { return nil }
        let credentials = existingFile(
            fields["credentials"], "credentials: ./credentials", what: "file of the credentials")
        if options.checksSecrets, let field = fields["credentials"], let credentials {
            checkPrivate(field, credentials)
        }
        let ca = existingFile(fields["ca"], "ca: ./ca", what: "file of certificates")
        let task = fields["task"].flatMap { decodePushTask($0, declared) }
        let client = fields["client_id"].flatMap { bag.text($0, example: "client_id: photos-1") }
        let topics = fields["topics"].map(decodeTopics) ?? []
        guard let field = fields["broker"],
            let text = bag.text(field, example: "broker: mqtts://broker.example.com")
        else { return nil }
        guard var mqtt = PushSources.MQTT(address: text) else {
            return bag.refuse(
                .badAddress, at: field.node.span, "\(quoted(text)) is not an address of a broker",
                help: "write `mqtts://host:8883` or `mqtt://host:1883`; a user and a password go "
                    + "into `credentials`")
        }
        if !mqtt.isTLS, let ca = fields["ca"] { reportUseless(ca, "with mqtts://") }
        let isLoopback =
            mqtt.host == "localhost" || mqtt.host.hasPrefix("127.") || mqtt.host == "::1"
        if !mqtt.isTLS, !isLoopback, let secret = fields["credentials"] {
            warnOfPlain(secret, "the password is", to: mqtt.host, scheme: "mqtts")
        }
        (mqtt.credentials, mqtt.ca, mqtt.task) = (credentials, ca, task)
        (mqtt.clientID, mqtt.topics) = (client, topics)
        return mqtt
    }

    private func decodeTopics(_ field: Field) -> [String] {
        bag.someItems(of: field, example: "topics: [photos/+/changed]").compactMap(decodeTopic)
    }

    private func decodeTopic(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "photos/+/changed") else { return nil }
        if PushSources.MQTT.isTopicFilter(text) { return text }
        return bag.refuse(
            .badName, at: field.node.span, "\(quoted(text)) is not a topic to subscribe to",
            help: "`+` stands for a whole level and `#` for all levels at the end: "
                + "`photos/+/changed`")
    }
}

extension PushSources.MQTT {
    /// Reads `mqtts://host[:port]` or `mqtt://host[:port]`; nil for other text.
    init?(address text: String) {
        let schemes = [(name: "mqtts://", isTLS: true), (name: "mqtt://", isTLS: false)]
        guard let scheme = schemes.first(where: { text.hasPrefix($0.name) }) else { return nil }
        var host = text.dropFirst(scheme.name.count)
        if host.hasSuffix("/") { host.removeLast() }
        var port: UInt16 = scheme.isTLS ? 8883 : 1883
        let isBracketed = host.hasPrefix("[")
        if let colon = host.lastIndex(of: ":"), !isBracketed || !host.hasSuffix("]") {
            guard let number = UInt16(host[host.index(after: colon)...]), number > 0 else {
                return nil
            }
            port = number
            host = host[..<colon]
        }
        if isBracketed { host = host.dropFirst().dropLast() }
        let allowed: (UInt8) -> Bool = {
            switch $0 {
            case 48...57, 65...90, 97...122: true
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            case UInt8(ascii: ":"), UInt8(ascii: "%"): isBracketed
            default: false
            }
        }
        guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy(allowed),
            host.utf8.first != UInt8(ascii: "-")
        else { return nil }
        self.init(host: String(host), port: port, isTLS: scheme.isTLS, topics: [])
    }

    /// MQTT 3.1.1, section 4.7.
    static func isTopicFilter(_ text: String) -> Bool {
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        let areWhole = levels.allSatisfy {
            !$0.contains("+") && !$0.contains("#") || $0.count == 1
        }
        return areWhole && !levels.dropLast().contains("#") && text.utf8.count <= 1_024
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
