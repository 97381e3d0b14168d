// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
public import Foundation
public import FoundationNetworking

/// The settings of a session, which copies them: later changes have no effect.
///
/// `@unchecked Sendable`, as Apple's: a shared one must not be changed.
open class URLSessionConfiguration: NSObject, NSCopying, @unchecked Sendable {
    /// The name of a background session, under which its transfers are stored; nil for other
    /// sessions.
    public let identifier: String?
    let isEphemeral: Bool

    /// Background sessions: transfers wait for external power and an unmetered network.
    open var isDiscretionary = false
    /// Background sessions: the app is launched when all transfers have finished.
    open var sessionSendsLaunchEvents = true
    /// False: an unmetered network is required. bgrun distinguishes metered and unmetered networks;
    /// the next two properties have the same meaning.
    open var allowsCellularAccess = true
    open var allowsExpensiveNetworkAccess = true
    open var allowsConstrainedNetworkAccess = true
    open var allowsUltraConstrainedNetworkAccess = true
    /// Ignored: background sessions always wait, others never do.
    open var waitsForConnectivity = false
    /// The time without a byte, in seconds, after which a transfer is retried.
    open var timeoutIntervalForRequest: TimeInterval = 60
    /// The maximum time of a transfer, in seconds.
    open var timeoutIntervalForResource: TimeInterval = 7 * 24 * 60 * 60
    /// The maximum number of connections to one server.
    open var httpMaximumConnectionsPerHost = 6
    /// Sent with every request, whose own headers take precedence.
    open var httpAdditionalHeaders: [AnyHashable: Any]?
    /// Stored without effect: an app has one directory here.
    open var sharedContainerIdentifier: String?
    /// Stored without effect.
    open var shouldUseExtendedBackgroundIdleMode = false
    /// Stored without effect.
    open var httpShouldUsePipelining = false
    /// Stored without effect.
    open var networkServiceType = URLRequest.NetworkServiceType.default
    /// Stored without effect: the proxies of the environment are used.
    open var connectionProxyDictionary: [AnyHashable: Any]?
    /// Stored without effect.
    open var requiresDNSSECValidation = false

    // Not for background sessions, as on iOS: their transfers do not use caches or cookies.
    open var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    open var urlCache: URLCache?
    open var urlCredentialStorage: URLCredentialStorage?
    open var httpCookieStorage: HTTPCookieStorage?
    open var httpCookieAcceptPolicy = HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain
    open var httpShouldSetCookies = true
    /// For tests, which answer requests themselves; no effect on background sessions.
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

    /// The same without storage on disk.
    open class var ephemeral: URLSessionConfiguration {
        URLSessionConfiguration(identifier: nil, isEphemeral: true)
    }

    /// A session whose transfers a process of bgrun performs. When they have finished, the task of
    /// this identifier, of kind `transfer`, is launched; a session with the same identifier is then
    /// notified of them.
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

    /// For a session without bgrun.
    var plain: FoundationNetworking.URLSessionConfiguration {
        let plain: FoundationNetworking.URLSessionConfiguration =
            isEphemeral ? .ephemeral : .default
        plain.allowsCellularAccess = allowsCellularAccess
        // Foundation converts them to whole numbers, which traps for those without one.
        plain.timeoutIntervalForRequest = Duration.clampedSeconds(timeoutIntervalForRequest)
        plain.timeoutIntervalForResource = Duration.clampedSeconds(timeoutIntervalForResource)
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
