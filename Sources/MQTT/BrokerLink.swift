// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CMosquitto
import Glibc

/// One connection to a broker: QoS 1, in a session that the broker keeps while no client is connected.
///
/// libmosquitto queues the acknowledgement of a message for sending before it passes the message on. So
/// nothing is sent while a message is not on the host's disk: a process that is killed before has
/// acknowledged nothing.
final class BrokerLink {
    /// The maximum size of a message in bytes; of a longer one, only the size is passed on.
    private static let longest = 16_384
    private static let keepAlive: Int32 = 60
    /// Milliseconds between two checks for a due keep-alive.
    private static let rest: Int32 = 15_000
    /// The time limit of connecting, in seconds.
    private static let timeout: UInt32 = 30

    private let client: OpaquePointer
    private let options: Options
    private var nextNumber: Int64 = 1
    /// Messages without an answer of the host.
    private var open: Set<Int64> = []
    private var unsubscribed = 0
    private var isConnected = false
    private var answers: [UInt8] = []

    init?(_ options: Options) {
        guard let client = mosquitto_new(options.client, false, nil) else { return nil }
        self.client = client
        self.options = options
        // After this, only `mosquitto_loop_write` sends.
        mosquitto_threaded_set(client, true)
        mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_connect_callback_set(client) { _, context, code in
            BrokerLink.of(context)?.connected(code)
        }
        mosquitto_subscribe_callback_set(client) { _, context, _, count, granted in
            BrokerLink.of(context)?.subscribed(
                UnsafeBufferPointer(start: granted, count: Int(count)))
        }
        mosquitto_message_callback_set(client) { _, context, message in
            if let message { BrokerLink.of(context)?.take(message.pointee) }
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> BrokerLink? {
        context.map { Unmanaged<BrokerLink>.fromOpaque($0).takeUnretainedValue() }
    }

    func run() -> Never {
        if let path = options.credentials { logIn(path) }
        if options.isTLS { secure() }
        // The handler may do little: this makes the line that it writes. The process does not wait for a broker
        // that does not answer.
        _ = HostLink.noAnswer
        signal(SIGALRM) { _ in
            _ = HostLink.noAnswer.withUnsafeBytes {
                write(HostLink.descriptor, $0.baseAddress, $0.count)
            }
            _exit(1)
        }
        alarm(Self.timeout)
        check(mosquitto_connect(client, options.host, options.port, Self.keepAlive))
        while true { serve() }
    }

    private func logIn(_ path: String) {
        do throws(PrivateFile.Refusal) {
            let words = try PrivateFile.read(path).split(
                separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let password = words.count > 1 ? String(words[1]) : nil
            check(mosquitto_username_pw_set(client, String(words.first ?? ""), password))
        } catch {
            HostLink.end(77, error.reason)
        }
    }

    /// Requires matching names and valid certificates; this cannot be turned off.
    private func secure() {
        if let ca = options.ca {
            check(mosquitto_tls_set(client, ca, nil, nil, nil, nil))
        } else {
            check(mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
        }
    }

    // MARK: the loop

    private func serve() {
        let socket = mosquitto_socket(client)
        let mayWrite = open.isEmpty && mosquitto_want_write(client)
        var descriptors = [
            pollfd(fd: socket, events: Int16(POLLIN) | (mayWrite ? Int16(POLLOUT) : 0), revents: 0),
            pollfd(fd: HostLink.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&descriptors, 2, Self.rest) >= 0 || errno == EINTR else { exit(1) }
        if descriptors[1].revents != 0 { hear() }
        let ready = Int32(descriptors[0].revents)  // fits: 16 bits
        if ready & (POLLIN | POLLHUP | POLLERR) != 0 { check(mosquitto_loop_read(client, 1)) }
        if open.isEmpty, mosquitto_want_write(client) { check(mosquitto_loop_write(client, 1)) }
        check(mosquitto_loop_misc(client))
    }

    /// Handles the host's answers.
    private func hear() {
        var chunk = [UInt8](repeating: 0, count: 4_096)
        let count = read(HostLink.descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else { exit(0) }
        answers += chunk[..<count]
        while let end = answers.firstIndex(of: UInt8(ascii: "\n")) {
            if let number = Int64(String(decoding: answers[..<end], as: UTF8.self)) {
                open.remove(number)
            }
            answers.removeSubrange(...end)
        }
    }

    private func check(_ code: Int32) {
        guard code != Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
        let isSystem = code == Int32(MOSQ_ERR_ERRNO.rawValue)
        let problem =
            isSystem ? String(cString: strerror(errno)) : Self.text(mosquitto_strerror(code))
        HostLink.end(1, "\(isConnected ? "the connection was lost" : "no connection"): \(problem)")
    }

    private static func text(_ words: UnsafePointer<CChar>?) -> String {
        words.map { String(cString: $0) } ?? "an error without a name"
    }

    // MARK: messages of the broker

    private func connected(_ code: Int32) {
        guard code == 0 else { HostLink.end(1, Self.text(mosquitto_connack_string(code))) }
        for topic in options.topics {
            check(mosquitto_subscribe(client, nil, topic, 1))
            unsubscribed += 1
        }
    }

    private func subscribed(_ granted: UnsafeBufferPointer<Int32>) {
        guard granted.allSatisfy({ $0 < 128 }) else {
            HostLink.end(1, "the broker does not grant a subscription; see `topics`")
        }
        unsubscribed -= 1
        guard unsubscribed == 0 else { return }
        alarm(0)
        isConnected = true
        HostLink.tell(isConnected: true)
    }

    private func take(_ message: mosquitto_message) {
        guard let name = message.topic else { return }
        // Retained messages arrive again with each subscription, and are not new. Topics to which the
        // session still subscribes, but the manifest no longer does, have no receiver.
        guard !message.retain, isWanted(name) else { return }
        let number = nextNumber
        nextNumber += 1
        open.insert(number)
        HostLink.hand(
            number, topic: String(cString: name),
            UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)),
            limit: Self.longest)
    }

    private func isWanted(_ topic: UnsafePointer<CChar>) -> Bool {
        options.topics.contains { filter in
            var matches = false
            mosquitto_topic_matches_sub(filter, topic, &matches)
            return matches
        }
    }
}
