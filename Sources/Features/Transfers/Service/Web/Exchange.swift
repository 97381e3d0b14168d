// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import CCurl
import Glibc

/// One request and its response. Redirections are not followed: they are responses, too. Belongs to
/// the loop's thread.
final class Exchange {
    let curl: UnsafeMutableRawPointer
    /// The receiver of the response.
    private unowned let run: TransferRun
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// libcurl writes error messages to it.
    private let complaint = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var head = ResponseHeadReader()

    /// Nil if libcurl cannot do what `plan` requires, or memory is short.
    init?(_ plan: ExchangePlan, for run: TransferRun) {
        guard let curl = curl_easy_init() else { return nil }
        self.curl = curl
        self.run = run
        complaint.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        for field in plan.headerLines { fields = curl_slist_append(fields, field) }
        guard setUp(plan) else { return nil }
    }

    deinit {
        curl_easy_cleanup(curl)
        curl_slist_free_all(fields)
        complaint.deallocate()
    }

    /// The target of a redirection as an absolute URL.
    var redirectURL: String? {
        bgrun_curl_text(curl, CURLINFO_REDIRECT_URL).map { String(cString: $0) }
    }

    /// Called when libcurl is done with it.
    func end(_ code: CURLcode) {
        guard code != CURLE_OK else {
            return run.ended(
                head.isComplete
                    ? nil : TransferProblem(.badAnswer, "the server's answer is not HTTP")
            )
        }
        run.ended(
            TransferProblem(
                code, detail: String(cString: complaint), isShort: Self.isShortOfDescriptors))
    }

    /// At least as many as libcurl opens at once: a socket, a pair for the resolver thread, and certificate files.
    private static let freeDescriptors: UInt64 = 8

    /// Whether this process or the machine has fewer free descriptors. Those of a try that has just failed are free
    /// again.
    private static var isShortOfDescriptors: Bool {
        guard let open = Directory.names(in: "/proc/self/fd") else { return isShortage(errno) }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return false
        }
        // The directory itself is not counted.
        return limit.rlim_cur < UInt64(max(1, open.count) - 1) + freeDescriptors  // fits: a count
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
                    return Exchange.from(data)?.run.received(body) == true ? size * count : 0
                }, data))
        if plan.uploadSize != nil {
            codes.append(
                bgrun_curl_set_source(
                    curl,
                    { bytes, size, count, data in
                        let body = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                        return Exchange.from(data)?.run.send(into: body)
                            ?? Int(CURL_READFUNC_ABORT)
                    },
                    { data, offset, origin in
                        origin == SEEK_SET
                            && Exchange.from(data)?.run.rewind(to: Int64(offset)) == true
                            ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
                    }, data))
        }
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> Exchange? {
        data.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private func readHeaderLine(_ bytes: UnsafeRawBufferPointer) {
        if let head = head.take(bytes) { run.received(head) }
    }
}
