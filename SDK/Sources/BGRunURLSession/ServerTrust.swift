// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

// For delegates that check certificates. Nobody is asked about a certificate here: one that the
// system does not trust fails the transfer.

/// A method of challenges that do not come.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
/// A method of challenges that do not come.
public let NSURLAuthenticationMethodClientCertificate =
    "NSURLAuthenticationMethodClientCertificate"

/// The certificates of a server. There is no value of it.
public final class SecTrust: Sendable {
    private init() {}
}

/// A certificate and its key. There is no value of it.
public final class SecIdentity: Sendable {
    private init() {}
}

extension URLProtectionSpace {
    /// Always nil.
    public var serverTrust: SecTrust? { nil }
    /// Always nil.
    public var distinguishedNames: [Data]? { nil }
}

extension URLCredential {
    /// Never called: there is no trust to make it of.
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
    }

    /// Never called: there is no identity to make it of.
    public convenience init(
        identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence
    ) {
        self.init(user: "", password: "", persistence: persistence)
    }
}
