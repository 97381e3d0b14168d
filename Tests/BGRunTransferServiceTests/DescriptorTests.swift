// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunTransferIPC
import CCurl
import Foundation
import Testing

@testable import BGRunTransferService

@Suite("A shortage of descriptors", .timeLimit(.minutes(5)))
struct DescriptorTests {
    @Test(
        "does not count as a failed try, at whichever step it occurs, and the transfer continues",
        arguments: 0...9)
    func shortage(_ spare: Int) throws {
        let box = try Box()
        let server = try WebServer(box.directory)
        try box.start()
        var request = TransferRequest.download(server.url("/seen", of: "secure", host: "localhost"))
        request.authorities = server.authorities
        request.retry.attempts = 1
        let secret = server.directory + "/secret"
        try "user:password".write(toFile: secret, atomically: true, encoding: .utf8)
        chmod(secret, 0o600)
        request.credentials = secret
        try box.limitDescriptors(spare)
        let id = try box.add(request)
        let first = try box.wait(id) { $0.progress.failure != nil || $0.isFinished }
        if !first.isFinished {
            #expect(first.progress.failure == .noSpace && first.progress.failures == 0, "\(first)")
        }
        try box.limitDescriptors(nil)
        box.say(.look)
        let end = try box.finish(id)
        #expect(end.progress.result == .completed, "\(end)")
    }

    @Test(
        "is named as the cause only if a descriptor was needed",
        arguments: [
            (CURLE_COULDNT_CONNECT, TransferFailure.cannotConnect),
            (CURLE_COULDNT_RESOLVE_HOST, .cannotFindHost),
            (CURLE_SSL_CACERT_BADFILE, .untrustedServer),
            (CURLE_SSL_CERTPROBLEM, .clientCertificate),
        ])
    func codes(_ code: CURLcode, _ failure: TransferFailure) {
        #expect(TransferProblem(code, detail: "", isShort: false).failure == failure)
        #expect(TransferProblem(code, detail: "", isShort: true).failure == .noSpace)
        #expect(
            TransferProblem(CURLE_RECV_ERROR, detail: "", isShort: true).failure == .connectionLost)
    }
}
