// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A server on this machine.
struct Site: Sendable {
    let port: UInt16

    struct Answer: Sendable {
        var status: Int
        var head: [String]
        var body: String

        func header(_ name: String) -> String? {
            head.first { $0.lowercased().hasPrefix(name + ": ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    func get(_ path: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await ask("GET", path, headers, "")
    }

    func post(
        _ path: String, _ headers: [String: String] = [:], _ form: String = ""
    ) async throws -> Answer {
        try await ask(
            "POST", path,
            headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { $1 }, form)
    }

    private func ask(
        _ method: String, _ path: String, _ headers: [String: String], _ body: String
    ) async throws -> Answer {
        var text = "\(method) \(path) HTTP/1.1\r\n"
        let own = ["Host": "127.0.0.1:\(port)", "Content-Length": "\(body.utf8.count)"]
        for (name, value) in own.merging(headers, uniquingKeysWith: { $1 }) {
            text += "\(name): \(value)\r\n"
        }
        let request = Array((text + "\r\n" + body).utf8)
        // It blocks, which is not permitted on the threads of tests.
        let answer = await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: exchange(request)) }
        }
        let parts = answer.split(
            separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let head = parts[0].split(separator: "\r\n").map(String.init)
        let status = try #require(head.first.flatMap { Int($0.dropFirst(9).prefix(3)) })
        return Answer(status: status, head: head, body: parts.count > 1 ? String(parts[1]) : "")
    }

    private func exchange(_ request: [UInt8]) -> String {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0, send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) > 0
        else { return "" }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = recv(descriptor, &chunk, chunk.count, 0), count > 0 {
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
