// SPDX-License-Identifier: Apache-2.0

import CCurl
import Glibc

/// One request, sent repeatedly if necessary. Follows no redirection, and accepts only certificates of
/// the machine's authorities.
final class Post {
    private let curl: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// libcurl keeps the pointer.
    private let body: UnsafeMutableBufferPointer<UInt8>
    /// The beginning of the server's answer, for people.
    private final class Reply {
        var bytes: [UInt8] = []
        static let limit = 300
    }
    private let reply = Reply()

    init?(_ options: Options, headers lines: [String], body bytes: [UInt8]) {
        guard let curl = curl_easy_init() else { return nil }
        self.curl = curl
        body = .allocate(capacity: bytes.count)
        _ = body.initialize(from: bytes)
        // Without the last one, libcurl waits for the status 100 (Continue) before longer bodies.
        for line in ["Content-Type: application/json", "Expect:"] + lines {
            headers = curl_slist_append(headers, line)
        }
        var texts = [
            (CURLOPT_URL, options.address), (CURLOPT_USERAGENT, options.agent),
            (CURLOPT_PROTOCOLS_STR, "https,http"),
        ]
        let numbers = [
            (CURLOPT_POST, 1), (CURLOPT_POSTFIELDSIZE, bytes.count), (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_CONNECTTIMEOUT, 10),
        ]
        if let file = options.authoritiesFile { texts.append((CURLOPT_CAINFO, file)) }
        var codes = texts.map { bgrun_curl_set_text(curl, $0, $1) }
        codes += numbers.map { bgrun_curl_set_number(curl, $0, $1) }
        codes.append(bgrun_curl_set_pointer(curl, CURLOPT_POSTFIELDS, body.baseAddress))
        codes.append(bgrun_curl_set_pointer(curl, CURLOPT_HTTPHEADER, headers))
        // Only the given authorities are trusted, not those of the system's directory.
        if options.authoritiesFile != nil {
            codes.append(bgrun_curl_set_pointer(curl, CURLOPT_CAPATH, nil))
        }
        let writer: curl_write_callback = { bytes, size, count, data in
            guard let bytes, let data else { return 0 }
            let reply = Unmanaged<Reply>.fromOpaque(data).takeUnretainedValue()
            let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
            reply.bytes += chunk.prefix(max(0, Reply.limit - reply.bytes.count))
            return size * count
        }
        codes.append(
            bgrun_curl_set_writer(curl, writer, Unmanaged.passUnretained(reply).toOpaque()))
        guard codes.allSatisfy({ $0 == CURLE_OK }) else { return nil }
    }

    deinit {
        curl_slist_free_all(headers)
        curl_easy_cleanup(curl)
        body.deallocate()
    }

    /// - Parameter milliseconds: The time limit of the whole try.
    func send(within milliseconds: Int) -> Answer {
        reply.bytes = []
        bgrun_curl_set_number(curl, CURLOPT_TIMEOUT_MS, milliseconds)
        let code = curl_easy_perform(curl)
        guard code == CURLE_OK else {
            return Answer(
                problem: String(cString: curl_easy_strerror(code)),
                isPassing: [
                    CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT,
                    CURLE_OPERATION_TIMEDOUT, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING,
                ].contains(code))
        }
        let status = bgrun_curl_number(curl, CURLINFO_RESPONSE_CODE)
        switch status {
        case 200..<300: return Answer()
        case 300..<400:
            let place = bgrun_curl_text(curl, CURLINFO_REDIRECT_URL).map { String(cString: $0) }
            return Answer(
                problem: "the server sends elsewhere (\(status), \(place ?? "nowhere")); "
                    + "write that address if it is the right one")
        default:
            let wait = Int(bgrun_curl_offset(curl, CURLINFO_RETRY_AFTER))
            return Answer(
                problem: "the server answers \(status)" + (said.isEmpty ? "" : ": \(said)"),
                isPassing: status == 429 || status == 408 || status >= 500,
                retryAfter: min(max(0, wait), 86_400) * 1_000)
        }
    }

    /// The server's answer, on one line.
    private var said: String {
        let text = String(decoding: reply.bytes, as: UTF8.self)
        return text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }
            .joined().split(separator: " ").joined(separator: " ")
    }
}
