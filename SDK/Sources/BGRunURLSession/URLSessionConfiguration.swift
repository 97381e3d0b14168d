// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

/// How a session behaves. A session copies it: what is changed later changes nothing.
///
/// `@unchecked Sendable`, as Apple's: whoever shares one does not change it meanwhile.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    /// The name under which a background session's transfers are kept; nil for other sessions.
    public let identifier: String?
    let isEphemeral: Bool

    /// Background sessions: transfers wait for external power and an unmetered network.
    open var isDiscretionary = false
    /// Background sessions: the app is launched when all transfers have finished.
    open var sessionSendsLaunchEvents = true
    /// False: an unmetered network is needed. bgrun knows metered and unmetered networks; the next
    /// two mean the same.
    open var allowsCellularAccess = true
    open var allowsExpensiveNetworkAccess = true
    open var allowsConstrainedNetworkAccess = true
    open var allowsUltraConstrainedNetworkAccess = true
    /// Ignored: background sessions always wait, others never do.
    open var waitsForConnectivity = false
    /// Without a byte for so many seconds a transfer is tried again.
    open var timeoutIntervalForRequest: TimeInterval = 60
    /// The longest a transfer may take, in seconds.
    open var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60
    /// At most so many connections to one server.
    open var httpMaximumConnectionsPerHost = 6
    /// Sent with every request, which may overrule them.
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    /// Remembered, and of no effect: an app has one directory here.
    open var sharedContainerIdentifier: String?
    /// Remembered, and of no effect.
    open var shouldUseExtendedBackgroundIdleMode = false
    /// Remembered, and of no effect.
    open var httpShouldUsePipelining = false
    /// Remembered, and of no effect.
    open var networkServiceType = URLRequest.NetworkServiceType.default
    /// Remembered, and of no effect: the proxies of the environment are used.
    open var connectionProxyDictionary: [AnyHashable: Any]?
    /// Remembered, and of no effect.
    open var requiresDNSSECValidation = false

    // Not for background sessions, as on iOS: their transfers know neither caches nor cookies.
    open var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    open var urlCache: URLCache?
    open var urlCredentialStorage: URLCredentialStorage?
    open var httpCookieStorage: HTTPCookieStorage?
    open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
    open var httpShouldSetCookies = true
    /// For tests, which answer requests themselves; of no effect on background sessions.
    open var protocolClasses: [AnyClass]?

    private init(identifier: String?, isEphemeral: Bool) {
        self.identifier = identifier
        self.isEphemeral = isEphemeral
        super.init()
        guard identifier == nil else { return }
        let plain: FoundationNetworking.URLSessionConfiguration =
            isEphemeral ? .ephemeral : .default
        urlCache = plain.urlCache
        urlCredentialStorage = plain.urlCredentialStorage
        httpCookieStorage = plain.httpCookieStorage
        protocolClasses = plain.protocolClasses
    }

    /// A session of FoundationNetworking, in the process.
    open class var `default`: URLSessionConfiguration {
        URLSessionConfiguration(identifier: nil, isEphemeral: false)
    }

    /// The same without anything on disk.
    open class var ephemeral: URLSessionConfiguration {
        URLSessionConfiguration(identifier: nil, isEphemeral: true)
    }

    /// A session whose transfers a process of bgrun's makes. When they have finished, the task of
    /// this identifier, of kind `transfer`, is launched; a session made with the same identifier
    /// then is told of them.
    open class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        URLSessionConfiguration(identifier: identifier, isEphemeral: false)
    }

    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = URLSessionConfiguration(identifier: identifier, isEphemeral: isEphemeral)
        copy.isDiscretionary = isDiscretionary
        copy.sessionSendsLaunchEvents = sessionSendsLaunchEvents
        copy.allowsCellularAccess = allowsCellularAccess
        copy.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        copy.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        copy.allowsUltraConstrainedNetworkAccess = allowsUltraConstrainedNetworkAccess
        copy.waitsForConnectivity = waitsForConnectivity
        copy.timeoutIntervalForRequest = timeoutIntervalForRequest
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        copy.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        copy.httpAdditionalHeaders = httpAdditionalHeaders
        copy.sharedContainerIdentifier = sharedContainerIdentifier
        copy.shouldUseExtendedBackgroundIdleMode = shouldUseExtendedBackgroundIdleMode
        copy.httpShouldUsePipelining = httpShouldUsePipelining
        copy.networkServiceType = networkServiceType
        copy.connectionProxyDictionary = connectionProxyDictionary
        copy.requiresDNSSECValidation = requiresDNSSECValidation
        copy.requestCachePolicy = requestCachePolicy
        copy.urlCache = urlCache
        copy.urlCredentialStorage = urlCredentialStorage
        copy.httpCookieStorage = httpCookieStorage
        copy.httpCookieAcceptPolicy = httpCookieAcceptPolicy
        copy.httpShouldSetCookies = httpShouldSetCookies
        copy.protocolClasses = protocolClasses
        return copy
    }

    var snapshot: URLSessionConfiguration {
        copy() as? URLSessionConfiguration ?? self
    }

    /// For a session that is none of bgrun's.
    var plain: FoundationNetworking.URLSessionConfiguration {
        let plain: FoundationNetworking.URLSessionConfiguration =
            isEphemeral ? .ephemeral : .default
        plain.allowsCellularAccess = allowsCellularAccess
        plain.timeoutIntervalForRequest = timeoutIntervalForRequest
        plain.timeoutIntervalForResource = timeoutIntervalForResource
        plain.httpMaximumConnectionsPerHost = httpMaximumConnectionsPerHost
        plain.httpAdditionalHeaders = httpAdditionalHeaders
        plain.requestCachePolicy = requestCachePolicy
        plain.urlCache = urlCache
        plain.urlCredentialStorage = urlCredentialStorage
        plain.httpCookieStorage = httpCookieStorage
        plain.httpCookieAcceptPolicy = httpCookieAcceptPolicy
        plain.httpShouldSetCookies = httpShouldSetCookies
        plain.protocolClasses = protocolClasses
        return plain
    }
}
