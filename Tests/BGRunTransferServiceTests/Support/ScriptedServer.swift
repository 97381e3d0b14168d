// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A server that can misbehave. Each connection has a thread, on which a script receives the request and
/// sends any bytes.
final class ScriptedServer: Sendable {
    /// One connection: its request, and functions to answer.
    struct Caller {
        let descriptor: Int32
        /// The number of the connection, from 0.
        let number: Int
        let head: String

        /// The value of a header field; nil when it was not sent.
        func field(_ name: String) -> String? {
            let lines = head.components(separatedBy: "\r\n").dropFirst()
            let prefix = name.lowercased() + ":"
            return lines.first { $0.lowercased().hasPrefix(prefix) }
                .map { $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces) }
        }

        /// The first byte of the requested range.
        var offset: Int? {
            field("Range").flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        }

        func send(_ text: String) { send(Data(text.utf8)) }

        func send(_ data: Data) {
            data.withUnsafeBytes { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    let count = Glibc.send(
                        descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return }
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                }
            }
        }

        /// An answer with `Content-Length`, unless `fields` has one or `body` is nil.
        func answer(_ status: String, _ fields: [String] = [], _ body: Data = Data()) {
            let hasLength = fields.contains { $0.lowercased().hasPrefix("content-length") }
            let length = hasLength ? [] : ["Content-Length: \(body.count)"]
            let lines = ["HTTP/1.1 \(status)"] + fields + length + ["Connection: close", "", ""]
            send(lines.joined(separator: "\r\n"))
            send(body)
        }

        /// Reads `count` bytes of the body; returns the number of missing bytes.
        func readBody(_ count: Int) -> Int {
            var left = count
            var bytes = [UInt8](repeating: 0, count: 4_096)
            while left > 0, case let count = read(descriptor, &bytes, bytes.count), count > 0 {
                left -= count
            }
            return left
        }

        /// Answers with "ab"; the second byte waits for `gate`.
        func answerInHalves(at gate: DispatchSemaphore) {
            send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\na")
            gate.wait()
            send("b")
        }

        /// Reads until the other side has closed.
        func drain() {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while read(descriptor, &bytes, bytes.count) > 0 {}
        }
    }

    let port: UInt16
    private let listener: Int32
    private let heads = Mutex<[String]>([])

    init(_ script: @escaping @Sendable (Caller) -> Void) throws {
        let socket = try WebServer.Socket()
        (listener, port) = (socket.descriptor, socket.port)
        let listener = listener
        Thread.detachNewThread { [weak self] in
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                guard let number = self?.note(descriptor) else {
                    close(descriptor)
                    continue
                }
                let head = self?.requests[number] ?? ""
                Thread.detachNewThread {
                    script(Caller(descriptor: descriptor, number: number, head: head))
                    shutdown(descriptor, Int32(SHUT_WR))
                    close(descriptor)
                }
            }
        }
    }

    deinit {
        // Ends the thread's accept.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// The requests so far, without bodies.
    var requests: [String] { heads.withLock { $0 } }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    private func note(_ descriptor: Int32) -> Int {
        let head = Self.readHead(descriptor)
        return heads.withLock { heads in
            heads.append(head)
            return heads.count - 1
        }
    }

    private static func readHead(_ descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8), read(descriptor, &byte, 1) == 1 {
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
