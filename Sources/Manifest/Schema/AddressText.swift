// SPDX-License-Identifier: Apache-2.0

/// A web address in the form of the manifest.
struct AddressText {
    let text: String
    let isEncrypted: Bool
    /// Host and port.
    let authority: Substring

    /// Nil unless `text` is http or https with a host, in ASCII.
    init?(_ text: String) {
        let schemes = ["https://", "http://"]
        guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }),
            text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F })
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        isEncrypted = scheme == "https://"
        self.text = text
        if authority.isEmpty { return nil }
    }

    /// Whether it contains a user, and perhaps a password, which do not belong in a manifest.
    var hasUser: Bool { authority.contains("@") }

    /// Whether data sent there stays on this machine.
    var isLoopback: Bool {
        authority.hasPrefix("[::1]")
            || ["localhost", "127.0.0.1"].contains(authority.prefix { $0 != ":" })
    }
}

extension ManifestDecoder {
    /// An address with this `purpose` and without a user.
    /// - Parameters:
    ///   - help: The remedy for text that is not an address.
    ///   - userRemedy: The remedy for an address that contains a user.
    func decodeAddress(
        _ field: Field, _ purpose: String, example: String, help: String, userRemedy: String
    ) -> AddressText? {
        guard let text = bag.text(field, example: "\(field.name): \(example)") else { return nil }
        let address = AddressText(text)
        guard let address, !address.hasUser else {
            return bag.refuse(
                .badAddress, at: field.node.span, "\(quoted(text)) is not an address \(purpose)",
                help: address == nil ? help : userRemedy)
        }
        return address
    }
}
