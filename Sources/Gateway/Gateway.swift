// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunHTTP
import Glibc

/// Speaks HTTP for a server: descriptor 3 is a socket to it, 4 the listening one. The server sends its
/// settings, receives one line of JSON for each admitted request, and sends its answers. When it ends,
/// this process ends.
package enum Gateway {
    package static func run() throws -> Never {
        signal(SIGPIPE, SIG_IGN)
        let loop = try EventLoop()
        var server: GatewayServer?
        var channel: LineChannel?
        channel = try LineChannel(
            loop, 3, longest: GatewayLine.longestAnswer, limit: 64 * GatewayLine.longestQuestion
        ) { line in
            if let server {
                guard let answer = GatewayLine.decode(GatewayAnswer.self, line) else { fail(65) }
                return server.take(answer)
            }
            guard let settings = GatewayLine.decode(GatewaySettings.self, line) else { fail(65) }
            server = try? GatewayServer(loop, 4, settings) {
                channel?.send(GatewayLine.encode($0))
            }
            guard server != nil else { fail(71) }
            channel?.send(GatewayLine.encode(GatewayQuestion()))
        } closed: {
            exit(0)
        }
        loop.run()
        exit(0)
    }

    private static func fail(_ code: Int32) -> Never {
        let reason =
            code == 65 ? "an invalid line came; use that of the same bgrun" : "it cannot listen"
        let line = "bgrun-gateway: \(reason)\n"
        write(STDERR_FILENO, line, line.utf8.count)
        exit(code)
    }
}
