// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CCurl
import Glibc

/// The settings of libcurl for one request.
struct ExchangePlan {
    var url: String
    /// Nil: GET, or PUT if there are bytes to send.
    var method: String?
    var fields: [TransferRequest.Header]
    var secrets: Secrets
    var authorities: String?
    var verifiesServer: Bool
    var proxy: String?
    var rate: Int64?
    var connectTimeout: Interval
    /// The size of libcurl's buffer in bytes.
    var bufferSize: Int
    /// Nil: no body is sent.
    var uploadSize: Int64?

    /// - Parameter keepsSecrets: Whether it goes to the server of the request; otherwise secrets
    ///   are omitted.
    init(
        _ request: TransferRequest, url: String, secrets: Secrets, keepsSecrets: Bool,
        bufferSize: Int
    ) {
        self.url = url
        method = request.method
        fields = request.headers.filter { keepsSecrets || !RedirectRule.isSecret($0.name) }
        self.secrets = keepsSecrets ? secrets : Secrets()
        authorities = request.authorities
        verifiesServer = request.verifiesServer
        proxy = request.proxy
        rate = request.rate
        connectTimeout = min(request.requestTimeout, .days(1))
        self.bufferSize = Self.bufferSize(rate, atMost: bufferSize)
    }

    /// libcurl checks the rate after at most 100 buffers: with these sizes about once a second.
    private static func bufferSize(_ rate: Int64?, atMost most: Int) -> Int {
        min(most, max(1_024, Int(clamping: (rate ?? .max) / 128)))
    }

    /// Nanoseconds for which libcurl pauses to keep a rate.
    static func longestPause(_ rate: Int64?) -> Int64 {
        guard let rate, rate > 0 else { return 0 }
        // For a file to send it reads 64 KiB at a time.
        let burst = max(100 * bufferSize(rate, atMost: .max), 1 << 16)
        let seconds = Int64(burst) / rate + 1  // fits: divided
        return Interval.seconds(1).multiplied(by: seconds).nanoseconds
    }

    /// CURLAUTH_BASIC, whose cast hides it from Swift.
    private static let basic = 1

    var headerLines: [String] {
        // A field without a value is written with a semicolon; with a colon libcurl leaves it out.
        fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
            + (secrets.token.map { ["Authorization: \($0)"] } ?? [])
    }

    var texts: [(CURLoption, String)] {
        var texts = [
            (CURLOPT_URL, url), (CURLOPT_PROTOCOLS_STR, "https,http"),
            (CURLOPT_USERAGENT, "bgrun"),
        ]
        func add(_ option: CURLoption, _ text: String?) {
            if let text { texts.append((option, text)) }
        }
        add(CURLOPT_CUSTOMREQUEST, method)
        add(CURLOPT_USERNAME, secrets.user)
        add(CURLOPT_PASSWORD, secrets.password)
        add(CURLOPT_SSLCERT, secrets.certificate)
        add(CURLOPT_SSLKEY, secrets.key)
        add(CURLOPT_CAINFO, authorities)
        add(CURLOPT_PROXY, proxy)
        return texts
    }

    var numbers: [(CURLoption, Int)] {
        [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_SSL_VERIFYPEER, verifiesServer ? 1 : 0),
            (CURLOPT_SSL_VERIFYHOST, verifiesServer ? 2 : 0),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
            (CURLOPT_HTTPAUTH, Self.basic), (CURLOPT_DISALLOW_USERNAME_IN_URL, 1),
            (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1), (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_BUFFERSIZE, bufferSize), (CURLOPT_NOBODY, method == "HEAD" ? 1 : 0),
            (CURLOPT_UPLOAD, uploadSize == nil ? 0 : 1),
            (CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(connectTimeout.nanoseconds / 1_000_000))),
        ]
    }

    var offsets: [(CURLoption, curl_off_t)] {
        var offsets: [(CURLoption, curl_off_t)] = []
        if let uploadSize { offsets.append((CURLOPT_INFILESIZE_LARGE, Int(uploadSize))) }
        if let rate {
            let option =
                uploadSize == nil ? CURLOPT_MAX_RECV_SPEED_LARGE : CURLOPT_MAX_SEND_SPEED_LARGE
            offsets.append((option, Int(rate)))
        }
        return offsets
    }
}
