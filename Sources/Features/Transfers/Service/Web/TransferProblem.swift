// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import CCurl
import Glibc

/// A failure, with a sentence for people: the problem and the remedy.
struct TransferProblem: Error, Equatable, Sendable {
    var failure: TransferFailure
    var sentence: String
    /// The server's status, if the failure is `status`.
    var status: Int?
    var retryAfter: String?

    init(
        _ failure: TransferFailure, _ sentence: String, status: Int? = nil,
        retryAfter: String? = nil
    ) {
        self.failure = failure
        self.sentence = sentence
        self.status = status
        self.retryAfter = retryAfter
    }

    /// A file or directory that cannot be used.
    init(file path: String, doing verb: String, errno code: Int32) {
        let reason = String(cString: strerror(code))
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            self.init(.noSpace, "\(path): \(reason); it continues when there is room")
        case _ where isShortage(code):
            self.init(.noSpace, "\(path): \(reason); it continues when fewer others run")
        case EROFS:
            self.init(
                .file,
                "\(path) cannot be \(verb): \(reason); remount it for writing, or choose another "
                    + "place")
        case EACCES, EPERM:
            self.init(
                .file,
                "\(path) cannot be \(verb): \(reason); let user \(geteuid()) do so, "
                    + "or choose another place")
        default:
            self.init(.file, "\(path) cannot be \(verb): \(reason); correct it and submit it again")
        }
    }

    /// - Parameters:
    ///   - detail: libcurl's message for this case; may be empty.
    ///   - isShort: Whether descriptors are short. libcurl then reports a host that cannot be found or
    ///     connected, or certificates that cannot be read.
    init(_ code: CURLcode, detail: String, isShort: @autoclosure () -> Bool) {
        let reason = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
        let failure = Self.failure(of: code)
        let needsDescriptors: [TransferFailure] = [
            .cannotFindHost, .cannotConnect, .untrustedServer, .clientCertificate,
        ]
        if needsDescriptors.contains(failure), isShort() {
            self.init(
                .noSpace,
                "too few file descriptors are left (\(reason)); it continues when more are free")
        } else {
            let prefix =
                switch failure {
                case .untrustedServer: "the server is not trusted: "
                case .clientCertificate: "the client's certificate or key cannot be used: "
                default: ""
                }
            self.init(failure, prefix + reason)
        }
    }

    private static func failure(of code: CURLcode) -> TransferFailure {
        switch code {
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .cannotFindHost
        // libcurl reports headers that are too long as a lack of memory, too.
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_OUT_OF_MEMORY: .cannotConnect
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CACERT_BADFILE:
            .untrustedServer
        case CURLE_SSL_CERTPROBLEM: .clientCertificate
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING: .badAnswer
        default: .connectionLost
        }
    }
}
