// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem

/// The credentials of a request. Read again for every try, so that a new token is used.
struct Secrets {
    var user: String?
    var password: String?
    /// The value of `Authorization`.
    var token: String?
    /// Paths.
    var certificate: String?
    var key: String?

    init() {}

    init(_ request: TransferRequest) throws(TransferProblem) {
        if let path = request.credentials {
            let file = try Self.openPrivate(path, .credentials)
            try read(file, path)
        }
        if let path = request.key ?? request.certificate {
            // A certificate without a key file holds the key itself.
            _ = try Self.openPrivate(path, .clientCertificate)
        }
        certificate = request.certificate
        key = request.key
    }

    private static let longest = 65_536

    private mutating func read(_ file: ReadableFile, _ path: String) throws(TransferProblem) {
        guard let bytes = file.bytes(limit: Self.longest), bytes.count <= Self.longest else {
            throw TransferProblem(.credentials, "\(path) cannot be read, or has over 64 KiB")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let line = text.prefix { !$0.isNewline }
        let rest = text.dropFirst(line.count)
        guard rest.allSatisfy(\.isWhitespace), !line.isEmpty,
            line.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw TransferProblem(
                .credentials, "\(path) must hold one line, `user:password` or `Bearer TOKEN`")
        }
        if line.prefix(7).lowercased() == "bearer " {
            token = String(line)
        } else if let colon = line.firstIndex(of: ":") {
            user = String(line[..<colon])
            password = String(line[line.index(after: colon)...])
        } else {
            throw TransferProblem(
                .credentials, "\(path) holds neither `user:password` nor `Bearer TOKEN`")
        }
    }

    private static func openPrivate(
        _ path: String, _ failure: TransferFailure
    ) throws(TransferProblem) -> ReadableFile {
        do throws(PrivateFile.Refusal) {
            return try PrivateFile.open(path)
        } catch {
            if isShortage(error.code) {
                throw TransferProblem(file: path, doing: "read", errno: error.code)
            }
            throw TransferProblem(failure, error.reason)
        }
    }
}
