// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Foundation
import Glibc

/// nginx, which serves the directory `files` of `directory` until this object is released.
///
/// The test creates the sockets and passes them, so that they exist before nginx starts and no port is
/// guessed.
final class WebServer {
    let directory: String
    private let process: pid_t
    private let ports: [String: UInt16]

    /// The ways to request a file, each a directory below `/`.
    private static let ways = """
        location /files/ { alias DIRECTORY/files/; }
        location /slow/ { alias DIRECTORY/files/; limit_rate 400k; }
        location /noranges/ { alias DIRECTORY/files/; max_ranges 0; limit_rate 400k; }
        location /put/ { alias DIRECTORY/put/; dav_methods PUT; client_max_body_size 0; }
        location /private/ {
            alias DIRECTORY/files/; auth_basic x; auth_basic_user_file DIRECTORY/users;
        }
        location /busy { add_header Retry-After 1 always; return 503 busy; }
        location /missing { return 404; }
        location /loop { return 302 /loop2; }
        location /loop2 { return 302 /loop; }
        location /moved/ { rewrite ^/moved/(.*)$ /slow/$1 redirect; }
        location /elsewhere { return 302 http://127.0.0.1:PORT-other/seen; }
        location /here { return 302 /seen; }
        location /outside { return 302 ftp://127.0.0.1/file; }
        location /downgrade { return 302 http://127.0.0.1:PORT-other/seen; }
        location /seen {
            return 200 "$server_protocol|$http_authorization|$http_cookie|$http_x_mine|$ssl_client_s_dn";
        }
        """

    /// The servers and their settings.
    private static let servers = [
        "plain": "",
        "other": "",
        "secure": "ssl_certificate server.pem; ssl_certificate_key server.key;",
        "expired": "ssl_certificate expired.pem; ssl_certificate_key expired.key;",
        "stranger": "ssl_certificate stranger.pem; ssl_certificate_key stranger.key;",
        "client": """
        ssl_certificate server.pem; ssl_certificate_key server.key;
        ssl_client_certificate authority.pem; ssl_verify_client on;
        """,
    ]

    init(_ directory: String) throws {
        self.directory = directory
        for name in ["files", "put", "temporary"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
        try "user:{PLAIN}password\n".write(
            toFile: directory + "/users", atomically: true, encoding: .utf8)
        try Certificates.copy(to: directory)
        let sockets = try Self.servers.keys.sorted().map { ($0, try Socket()) }
        defer { for (_, socket) in sockets { close(socket.descriptor) } }
        ports = Dictionary(uniqueKeysWithValues: sockets.map { ($0, $1.port) })
        try Self.configuration(directory, ports).write(
            toFile: directory + "/nginx.conf", atomically: true, encoding: .utf8)
        let log = open(directory + "/error.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        defer { close(log) }
        let numbers = sockets.indices.map { "\($0 + 3);" }.joined()
        process = try ProgramStart.spawn(
            "/usr/sbin/nginx", ["-p", directory, "-c", directory + "/nginx.conf", "-e", "stderr"],
            environment: ["NGINX=\(numbers)", "PATH=/usr/bin:/bin"],
            [nil, log, log] + sockets.map { $0.1.descriptor })
    }

    deinit {
        // nginx loses a signal that comes between its start and its loop.
        repeat {
            kill(process, SIGTERM)
        } while waitpid(process, nil, WNOHANG) == 0 && poll(nil, 0, 50) == 0
    }

    /// - Parameter server: A name of `servers`.
    func url(_ path: String, of server: String = "plain", host: String = "127.0.0.1") -> String {
        let isSecure = Self.servers[server]?.isEmpty == false
        return "\(isSecure ? "https" : "http")://\(host):\(ports[server] ?? 0)\(path)"
    }

    var authorities: String { directory + "/authority.pem" }

    /// Writes a file that nginx serves.
    func put(_ name: String, _ data: Data) throws {
        // Replaces the file atomically, so that no answer mixes old and new data.
        try data.write(to: URL(fileURLWithPath: "\(directory)/files/\(name)"), options: .atomic)
    }

    private static func configuration(_ directory: String, _ ports: [String: UInt16]) -> String {
        let blocks = servers.sorted { $0.key < $1.key }.map { name, settings in
            let kind = settings.isEmpty ? "" : " ssl http2"
            return "server { listen 127.0.0.1:\(ports[name] ?? 0)\(kind); \(settings)\n\(ways) }"
        }
        var text = """
            daemon off; user root; worker_processes 1; worker_rlimit_nofile 8192; pid DIRECTORY/pid; error_log stderr;
            events { worker_connections 4096; }
            http {
                access_log off;
                client_body_temp_path DIRECTORY/temporary; proxy_temp_path DIRECTORY/temporary;
                fastcgi_temp_path DIRECTORY/temporary; uwsgi_temp_path DIRECTORY/temporary;
                scgi_temp_path DIRECTORY/temporary;
                \(blocks.joined(separator: "\n"))
            }
            """
        for (name, port) in ports {
            text = text.replacingOccurrences(of: "PORT-\(name)", with: "\(port)")
        }
        return text.replacingOccurrences(of: "DIRECTORY", with: directory)
    }

    /// A socket that listens on a free port of this machine.
    struct Socket {
        let descriptor: Int32
        let port: UInt16

        init() throws {
            let descriptor = try SystemFailure.check("socket", SocketName.stream(AF_INET))
            self.descriptor = descriptor
            var address = sockaddr_in()
            try SystemFailure.check(
                "bind", SocketName.with(host: "127.0.0.1", port: 0) { bind(descriptor, $0, $1) })
            try SystemFailure.check("listen", listen(descriptor, 4_096))
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &length)
                }
            }
            port = UInt16(bigEndian: address.sin_port)
        }
    }
}

/// Certificates, created once a day beside the tested programs, because that is slow.
enum Certificates {
    private static let made: Result<String, any Error> = Result {
        let day = Int(Date().timeIntervalSince1970) / 86_400
        let place = Built.service + "-certificates-\(day)"
        if FileManager.default.fileExists(atPath: place) { return place }
        let directory = place + "-\(getpid())"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Built.fixtures + "/make-certificates")
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        try process.run()
        process.waitUntilExit()
        // Another run of the tests may have been faster.
        if rename(directory, place) != 0 { try FileManager.default.removeItem(atPath: directory) }
        return place
    }

    static func copy(to directory: String) throws {
        let source = try made.get()
        for name in try FileManager.default.contentsOfDirectory(atPath: source)
        where name.hasSuffix(".pem") || name.hasSuffix(".key") {
            try FileManager.default.copyItem(
                atPath: "\(source)/\(name)", toPath: "\(directory)/\(name)")
        }
    }
}
