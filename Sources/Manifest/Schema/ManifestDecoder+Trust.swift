// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The certificates that a transfer trusts, and the one that it authenticates with.
extension ManifestDecoder {
    func decodeTrust(
        _ fields: Fields, _ address: AddressText?, of request: inout TransferRequest
    ) {
        request.credentials = fields["credentials"].flatMap(decodeSecret)
        if let credentials = fields["credentials"], let address, !address.isEncrypted,
            !address.isLoopback
        {
            warnOfPlain(credentials, "the credentials are", to: String(address.authority))
        }
        if let certificate = fields["certificate"] {
            let example = "certificate: {file: ./client.pem, key: ./client.key}"
            let parts = Fields(certificate, .certificate, bag, example)
            if let file = parts?["file"].flatMap({ decodePlace($0, what: "certificate") }),
                let key = parts?["key"].flatMap(decodeSecret)
            {
                (request.certificate, request.key) = (file, key)
            }
        }
        request.authorities = fields["ca"].flatMap { decodePlace($0, what: "certificates") }
        request.proxy = fields["proxy"].flatMap { field -> String? in
            let remedy = "write `http://` or `https://`, a host and a port, without a user"
            return decodeAddress(
                field, "of a proxy", example: "http://proxy:3128", help: remedy,
                userRemedy: remedy)?.text
        }
        request.verifiesServer = !(fields["tls"].map(decodeVerification) ?? false)
        if let address, !address.isEncrypted {
            for useless in fields.present(["certificate", "ca", "tls"]) {
                reportUseless(useless, "with `https://`", help: "write `https://`, or drop it")
            }
        }
    }

    /// Warns of a secret, given with its verb, that is sent without encryption.
    func warnOfPlain(_ field: Field, _ secret: String, to host: String, scheme: String = "https") {
        bag.warn(
            .plainAddress, at: field.span,
            "\(secret) sent to \(quoted(host)) for everyone on the way to read",
            help: "write `\(scheme)://`")
    }

    private func decodePlace(_ field: Field, what: String) -> String? {
        existingFile(field, "\(field.name): ./\(field.name).pem", what: what)
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

    /// Only this one word turns verification off, so that it cannot happen by accident.
    private func decodeVerification(_ field: Field) -> Bool {
        guard case .mapping = field.node.content else {
            guard bag.word(field, [(name: "insecure", word: true)]) == true else { return false }
            bag.warn(
                .notVerified, at: field.node.span,
                "the server's certificate is not verified: what is fetched may be forged",
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
