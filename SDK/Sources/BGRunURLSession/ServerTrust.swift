// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

// For delegates that check certificates. They are never asked: an untrusted certificate fails the
// transfer.

/// A method of challenges that never occur.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
/// A method of challenges that never occur.
public let NSURLAuthenticationMethodClientCertificate =
    "NSURLAuthenticationMethodClientCertificate"

/// The certificates of a server. It has no initializer, because delegates are not asked about them.
public final class SecTrust: Sendable {
    private init() {}
}

/// A certificate and its key. It has no initializer.
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
    /// Cannot be called, since a `SecTrust` cannot be created.
    public convenience init(trust: SecTrust) {
        self.init(user: "", password: "", persistence: .none)
    }

    /// Cannot be called, since a `SecIdentity` cannot be created.
    public convenience init(
        identity: SecIdentity, certificates: [Any]?, persistence: URLCredential.Persistence
    ) {
        self.init(user: "", password: "", persistence: persistence)
    }
}
