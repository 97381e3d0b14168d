// SPDX-License-Identifier: Apache-2.0

/// Which certificates a transfer trusts, and with which one it authenticates.
extension ManifestDecoder {
    func decodeTrust(
        _ fields: Fields, _ address: AddressText?, of transfer: inout TransferDefinition
    ) {
        transfer.credentialsFile = fields["credentials"].flatMap(decodeSecret)
        if let credentials = fields["credentials"], let address, !address.isEncrypted,
            !address.isLoopback
        {
            let host = quoted(String(address.authority))
            bag.warn(
                .plainAddress, at: credentials.span,
                "the credentials are sent to \(host) for everyone on the way to read",
                help: "write `https://`")
        }
        if let certificate = fields["certificate"] {
            let example = "certificate: {file: ./client.pem, key: ./client.key}"
            let parts = Fields(certificate, .certificate, bag: bag, example: example)
            if let file = parts?["file"].flatMap({ decodePlace($0, what: "certificate") }),
                let key = parts?["key"].flatMap(decodeSecret)
            {
                transfer.certificate = TransferDefinition.Certificate(file: file, key: key)
            }
        }
        transfer.authoritiesFile = fields["ca"].flatMap { decodePlace($0, what: "certificates") }
        transfer.proxy = fields["proxy"].flatMap(decodeProxy)
        transfer.isInsecure = fields["tls"].map(decodeVerification) ?? false
        if let address, !address.isEncrypted {
            for useless in fields.present(["certificate", "ca", "tls"]) {
                bag.error(
                    .uselessKey, at: useless.span, "`\(useless.name)` counts only with `https://`",
                    help: "write `https://`, or drop it")
            }
        }
    }

    private func decodePlace(_ field: Field, what: String) -> String? {
        bag.text(field, example: "\(field.name): ./\(field.name).pem").flatMap {
            decodePath(field, $0, what: what, verb: "write")
        }
    }

    /// A file that only its owner may read.
    private func decodeSecret(_ field: Field) -> String? {
        guard let path = decodePlace(field, what: field.name) else { return nil }
        if options.checksFiles { checkPrivate(field, path) }
        return path
    }

    func checkPrivate(_ field: Field, _ path: String) {
        guard let readers = SourceFile.readers(of: path) else { return }
        bag.error(
            .notPrivate, at: field.node.span,
            "\(quoted(path, limit: 200)) can be read by \(readers)",
            help: "run `chmod 600` on it")
    }

    private func decodeProxy(_ field: Field) -> String? {
        guard let text = bag.text(field, example: "proxy: http://proxy:3128") else { return nil }
        guard let address = AddressText(text), !address.hasUser else {
            bag.error(
                .badAddress, at: field.node.span, "\(quoted(text)) is not an address of a proxy",
                help: "write `http://` or `https://`, a host and a port, without a user")
            return nil
        }
        return text
    }

    /// Only the one word turns verification off, so that it cannot happen by accident.
    private func decodeVerification(_ field: Field) -> Bool {
        guard case .mapping = field.node.content else {
            guard bag.word(field, [(name: "insecure", word: true)]) == true else { return false }
            bag.warn(
                .notVerified, at: field.node.span,
                "the server's certificate is not verified: what is fetched may be anybody's",
                help: "name the server's own authority as `ca: ./ca.pem`, and drop `tls`")
            return true
        }
        bag.error(
            .notVerified, at: field.node.span, "verification cannot be turned off this way",
            help: "name the server's own authority as `ca: ./ca.pem`; to trust anybody, write "
                + "`tls: insecure`")
        return false
    }
}
