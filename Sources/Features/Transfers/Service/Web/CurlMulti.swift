// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import CBGRunShims
import CCurl
import Glibc

/// All exchanges of the service on one event loop: libcurl sets the sockets and the timeout to wait for, the loop
/// reports when they are ready. Belongs to the loop's thread.
final class CurlMulti {
    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private var timer: LoopTimer?
    private var exchanges: [UnsafeMutableRawPointer: Exchange] = [:]

    /// The number of idle connections kept for later requests to the same server.
    private static let idleConnections = 32

    init(_ loop: EventLoop) throws(SystemFailure) {
        self.loop = loop
        guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let multi = curl_multi_init()
        else { throw SystemFailure("curl_multi_init", code: ENOMEM) }
        self.multi = multi
        timer = try LoopTimer(loop) { [unowned self] in act(on: CURL_SOCKET_TIMEOUT, 0) }
        bgrun_curl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, Self.idleConnections)
        bgrun_curl_multi_set_callbacks(
            multi,
            { _, socket, what, data, _ in
                CurlMulti.from(data)?.watch(socket, what)
                return 0
            },
            { _, milliseconds, data in
                CurlMulti.from(data)?.wake(after: milliseconds)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        for exchange in exchanges.values { curl_multi_remove_handle(multi, exchange.curl) }
        curl_multi_cleanup(multi)
    }

    /// Starts an exchange; its `done` is called at its end, unless it is removed before.
    func add(_ exchange: Exchange) {
        exchanges[exchange.curl] = exchange
        curl_multi_add_handle(multi, exchange.curl)
    }

    /// Aborts an exchange. Must not be called from a callback of libcurl.
    func remove(_ exchange: Exchange) {
        guard exchanges.removeValue(forKey: exchange.curl) != nil else { return }
        curl_multi_remove_handle(multi, exchange.curl)
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> CurlMulti? {
        data.map { Unmanaged<CurlMulti>.fromOpaque($0).takeUnretainedValue() }
    }

    private func wake(after milliseconds: Int) {
        let delay = Int64(milliseconds) * 1_000_000
        timer?.set(elapsed: milliseconds < 0 ? nil : bgrun_boottime_ns() + delay)
    }

    private func watch(_ socket: Int32, _ what: Int32) {
        var interest: EventLoop.Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.read) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
        guard what != CURL_POLL_REMOVE else { return loop.forget(socket) }
        if loop.isWatched(socket) { return loop.change(socket, to: interest) }
        // Without a watch libcurl's own timeouts end the exchange.
        try? loop.watch(socket, for: interest) { [unowned self] readiness in
            var bits: Int32 = 0
            if readiness.contains(.read) { bits |= CURL_CSELECT_IN }
            if readiness.contains(.write) { bits |= CURL_CSELECT_OUT }
            act(on: socket, bits)
        }
    }

    private func act(on socket: Int32, _ bits: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, bits, &running)
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let curl = message.pointee.easy_handle,
                let exchange = exchanges[curl]
            else { continue }
            let code = message.pointee.data.result
            remove(exchange)
            exchange.end(code)
        }
    }
}
