// SPDX-License-Identifier: Apache-2.0

/// `on: {socket: ...}`: a path, or a mapping with `unix` and `mode`, or with `tcp`.
extension ManifestDecoder {
    func decodeSocket(_ field: Field) -> SocketAddress? {
        guard case .mapping = field.node.content else {
            if let port = field.scalar?.text, field.scalar?.value != .text,
                SocketAddress(tcp: port) != nil
            {
                return bag.refuseType(
                    field, expected: "a path or a mapping",
                    help: "write `socket: {tcp: \(port)}` for a port of this machine")
            }
            return decodeUnix(field, mode: SocketAddress.defaultMode)
        }
        let example = "socket: {unix: ./app.sock, mode: 0660}"
        guard let fields = Fields(field, .socket, bag, example) else { return nil }
        let found = fields.one(
            of: ["unix", "tcp"], "`socket`", lack: "does not say where to listen", .badSocket,
            help: "write one of `unix: ./app.sock` and `tcp: 127.0.0.1:9000`")
        guard let place = found else { return nil }
        guard place.name == "tcp" else {
            let mode = fields["mode"].map { decodeMode($0) } ?? SocketAddress.defaultMode
            return mode.flatMap { decodeUnix(place, mode: $0) }
        }
        if let mode = fields["mode"] {
            bag.error(
                .badSocket, at: mode.span, "`mode` goes with `unix`",
                help: "drop it; file permissions do not apply to an address")
        }
        return decodeTCP(place)
    }

    private func decodeUnix(_ field: Field, mode: UInt32) -> SocketAddress? {
        guard let text = bag.text(field, example: "\(field.name): ./app.sock") else { return nil }
        if isDirectory(text, field, help: "name the socket in it") { return nil }
        return socketPath(field, text).map { .unix(path: $0, mode: mode) }
    }

    /// `text` made absolute; nil if it is too long for a socket.
    func socketPath(_ field: Field, _ text: String) -> String? {
        let path = base.resolve(text)
        guard path.utf8.count > SocketAddress.longestPath else { return path }
        return bag.refuse(
            .badSocket, at: field.node.span,
            "\(quoted(path, limit: 200)) is \(path.utf8.count) bytes long, and a socket's path "
                + "has at most \(SocketAddress.longestPath)",
            help: "choose a shorter one, for example in /run")
    }

    /// Octal in every notation: `0660`, `660` and `0o660` are the same.
    private func decodeMode(_ field: Field) -> UInt32? {
        guard let text = bag.verbatim(field, example: "mode: 0660") else { return nil }
        let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text[...]
        guard (3...4).contains(digits.count), let mode = UInt32(digits, radix: 8), mode <= 0o777
        else {
            return bag.refuse(
                .badSocket, at: field.node.span, "\(quoted(text)) is not a mode of a socket",
                help: "write octal digits as for chmod, for example `0660`")
        }
        return mode
    }

    private func decodeTCP(_ field: Field) -> SocketAddress? {
        guard let text = bag.verbatim(field, example: "tcp: 127.0.0.1:9000") else { return nil }
        guard let address = SocketAddress(tcp: text) else {
            return bag.refuse(
                .badSocket, at: field.node.span,
                "\(quoted(text)) is not a numeric address with a port from 1 to 65535",
                help: "write `127.0.0.1:9000`, `\"[::1]:9000\"`, or `9000` for this machine only")
        }
        return address
    }

    /// Only one listener can use an address.
    func claim(
        _ address: SocketAddress, for task: Field, among listeners: inout [String: String]
    ) {
        if let other = listeners[address.place] {
            bag.error(
                .badSocket, at: task.span,
                "\(quoted(task.name)) and \(quoted(other)) listen on \(quoted(address.place, limit: 200))",
                help: "give each a socket of its own")
        }
        listeners[address.place] = task.name
    }
}
