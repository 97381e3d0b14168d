// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CCurl
import Glibc

/// One request and its answer. Redirections are not followed: they are answers, too.
/// Belongs to the loop's thread.
final class Exchange {
    /// The receiver of an answer.
    protocol Partner: AnyObject {
        /// The answer's header is complete; called once.
        func received(_ head: ResponseHead)
        /// A piece of the body. False: break the exchange off.
        func received(_ body: UnsafeRawBufferPointer) -> Bool
        /// Fills `buffer` with the next bytes to send; how many, 0 at their end, nil: break it off.
        func send(into buffer: UnsafeMutableRawBufferPointer) -> Int?
        /// Goes to another place of what is sent; false when that cannot be.
        func rewind(to offset: Int64) -> Bool
        /// The exchange is over: nil when the answer came whole.
        func ended(_ problem: TransferProblem?)
    }

    let curl: UnsafeMutableRawPointer
    private unowned let partner: any Partner
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// libcurl writes what is wrong into it.
    private let complaint = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var head = ResponseHeadReader()

    /// Nil if libcurl cannot do what `plan` requires, or memory is short.
    init?(_ plan: ExchangePlan, partner: any Partner) {
        guard let curl = curl_easy_init() else { return nil }
        self.curl = curl
        self.partner = partner
        complaint.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        for field in plan.headerLines { fields = curl_slist_append(fields, field) }
        guard setUp(plan) else { return nil }
    }

    deinit {
        curl_easy_cleanup(curl)
        curl_slist_free_all(fields)
        complaint.deallocate()
    }

    /// The place a redirection leads to, as an absolute URL.
    var redirectURL: String? {
        bgrun_curl_text(curl, CURLINFO_REDIRECT_URL).map { String(cString: $0) }
    }

    /// Called when libcurl is done with it.
    func end(_ code: CURLcode) {
        guard code != CURLE_OK else {
            return partner.ended(
                head.isComplete
                    ? nil : TransferProblem(.badAnswer, "the server's answer is not HTTP")
            )
        }
        partner.ended(
            TransferProblem(
                code, detail: String(cString: complaint), isShort: DescriptorShortage.isNear))
    }

    private func setUp(_ plan: ExchangePlan) -> Bool {
        var codes = plan.texts.map { bgrun_curl_set_text(curl, $0, $1) }
        codes += plan.numbers.map { bgrun_curl_set_number(curl, $0, $1) }
        codes += plan.offsets.map { bgrun_curl_set_offset(curl, $0, $1) }
        codes.append(bgrun_curl_set_pointer(curl, CURLOPT_HTTPHEADER, fields))
        codes.append(bgrun_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, complaint))
        // Only the given authorities are trusted, not those of the system's directory.
        if plan.authorities != nil {
            codes.append(bgrun_curl_set_pointer(curl, CURLOPT_CAPATH, nil))
        }
        let data = Unmanaged.passUnretained(self).toOpaque()
        codes.append(
            bgrun_curl_set_header_reader(
                curl,
                { bytes, size, count, data in
                    Exchange.from(data)?.readHeaderLine(
                        UnsafeRawBufferPointer(start: bytes, count: size * count))
                    return size * count
                }, data))
        codes.append(
            bgrun_curl_set_writer(
                curl,
                { bytes, size, count, data in
                    let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return Exchange.from(data)?.partner.received(body) == true ? size * count : 0
                }, data))
        if plan.uploadSize != nil {
            codes.append(
                bgrun_curl_set_source(
                    curl,
                    { bytes, size, count, data in
                        let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                        return Exchange.from(data)?.partner.send(into: room)
                            ?? Int(CURL_READFUNC_ABORT)
                    },
                    { data, offset, origin in
                        origin == SEEK_SET
                            && Exchange.from(data)?.partner.rewind(to: Int64(offset)) == true
                            ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
                    }, data))
        }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> Exchange? {
        data.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private func readHeaderLine(_ bytes: UnsafeRawBufferPointer) {
        if let head = head.take(bytes) { partner.received(head) }
    }
}
