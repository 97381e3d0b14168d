// SPDX-License-Identifier: Apache-2.0

/// Decides, based on the request alone, which clients may read and which may make changes.
package struct HTTPGate: Codable, Sendable {
    /// The valid host names of the server, without ports; nil: any.
    private let hosts: Set<String>?
    /// The token that permits changes; nil: no changes are permitted.
    private let token: String?
    /// Whether reading requires the token, too.
    private let isTokenForAll: Bool
    /// The cookie of a browser that has presented the token, valid until the server ends.
    package let session: String
    /// The secret in all of our forms, so that no other site can send one.
    package let formSecret: String

    /// - Parameters:
    ///   - session: A random word.
    ///   - formSecret: Another random word.
    package init(
        hosts: Set<String>?, token: String?, isTokenForAll: Bool, session: String,
        formSecret: String
    ) {
        self.hosts = hosts
        self.token = token
        self.isTokenForAll = isTokenForAll
        self.session = session
        self.formSecret = formSecret
    }

    package static let cookie = "bgrun-session"

    /// Whether a token would permit more.
    package var hasToken: Bool { token != nil }

    /// Whether `word` is the token.
    package func isToken(_ word: String) -> Bool { token.map { Self.isSame($0, word) } ?? false }

    /// Whether the request contains the token, or comes from a browser that has presented it.
    package func isTrusted(_ request: HTTPRequest) -> Bool {
        hasBearer(request) || hasSession(request)
    }

    private func hasBearer(_ request: HTTPRequest) -> Bool {
        guard let word = request.headers["authorization"], word.hasPrefix("Bearer ") else {
            return false
        }
        return isToken(String(word.dropFirst(7)))
    }

    private func hasSession(_ request: HTTPRequest) -> Bool {
        token != nil && request.cookie(Self.cookie).map { Self.isSame(session, $0) } ?? false
    }

    /// Whether a client certainly lacks a required token; if not, the whole head decides.
    func isStranger(_ method: String, _ target: String, _ header: (String) -> String?) -> Bool {
        guard token != nil, isTokenForAll || method == "POST", !target.hasPrefix("/login"),
            !target.hasPrefix("/assets/")
        else { return false }
        var request = HTTPRequest()
        request.headers["authorization"] = header("Authorization")
        request.headers["cookie"] = header("Cookie")
        return !isTrusted(request)
    }

    /// Refuses a request based on its head.
    func admitHead(_ request: HTTPRequest) throws(HTTPRefusal) {
        try admit(request)
        try admitBody(request)
    }

    /// Refuses an invalid request: for a name other than the server's, because another site's name may
    /// resolve to this address; with an unsupported method; from an unknown client.
    package func admit(_ request: HTTPRequest) throws(HTTPRefusal) {
        guard ["GET", "HEAD", "POST"].contains(request.method) else {
            throw HTTPRefusal(405, "GET, HEAD and POST are understood")
        }
        guard let host = request.headers["host"] else {
            throw HTTPRefusal(400, "a Host header is needed")
        }
        if let hosts, !hosts.contains(Self.name(ofHost: host)) {
            throw HTTPRefusal(421, "this server is not \(host); use localhost")
        }
        guard request.method == "POST" else {
            if isTokenForAll, !isTrusted(request), request.path.first != "login",
                request.path.first != "assets"
            {
                throw HTTPRefusal(401, "the token is needed")
            }
            return
        }
        guard token != nil else {
            throw HTTPRefusal(403, "nothing can be changed: the server was started without a token")
        }
        guard isOwnOrigin(request, host) else {
            throw HTTPRefusal(403, "the request comes from another site")
        }
    }

    /// Refuses a change unless one of our forms requests it, or a program with the token.
    package func admitChange(_ request: HTTPRequest) throws(HTTPRefusal) {
        if hasBearer(request) { return }
        guard hasSession(request) else { throw HTTPRefusal(401, "the token is needed") }
        guard Self.isSame(formSecret, request.form["secret"] ?? "") else {
            throw HTTPRefusal(
                403, "the form is not from this server, or from before it was restarted")
        }
    }

    /// Refuses a change based on its header if no body could make it valid. A token that is sent as a
    /// form is in the body.
    package func admitBody(_ request: HTTPRequest) throws(HTTPRefusal) {
        guard request.method == "POST", request.path != ["login"] else { return }
        guard isTrusted(request) else { throw HTTPRefusal(401, "the token is needed") }
    }

    /// Browsers send the origin of a form; programs send none.
    private func isOwnOrigin(_ request: HTTPRequest, _ host: String) -> Bool {
        if let site = request.headers["sec-fetch-site"], site != "same-origin" { return false }
        guard let origin = request.headers["origin"] else { return true }
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    private static func name(ofHost host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
            return String(host[...end]).lowercased()
        }
        return host.prefix { $0 != ":" }.lowercased()
    }

    /// Takes constant time for any `given` of the same length.
    static func isSame(_ secret: String, _ given: String) -> Bool {
        let secret = Array(secret.utf8)
        let given = Array(given.utf8)
        var difference = secret.count ^ given.count
        for index in given.indices {
            difference |= Int(given[index] ^ (secret.isEmpty ? 1 : secret[index % secret.count]))
        }
        return difference == 0
    }
}
