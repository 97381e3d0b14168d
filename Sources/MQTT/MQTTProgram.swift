// SPDX-License-Identifier: Apache-2.0

import BGRunSystem
import CMosquitto
import Glibc

/// Passes the messages of an MQTT broker to a host: `bgrun-mqtt --host NAME --port N --client ID [--tls]
/// [--ca FILE] [--credentials FILE] --topic FILTER...`. A separate process, so that the host does not link
/// libmosquitto, and no broker can delay it.
///
/// Descriptor 3 is a socket to the host. This process sends one line of JSON for each message, and
/// receives its number once it is on the disk: only then does it acknowledge the message to the broker. It
/// uses one connection: when that is lost, it ends, and the host restarts it.
package enum MQTTProgram {
    package static func run() -> Never {
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            HostLink.end(
                64, "bgrun-mqtt does not understand its options; use that of the same bgrun")
        }
        signal(SIGPIPE, SIG_IGN)
        mosquitto_lib_init()
        guard let link = BrokerLink(options) else { HostLink.end(1, "libmosquitto cannot be used") }
        link.run()
    }
}

struct Options {
    var host = ""
    var port: Int32 = 0
    var client = ""
    var isTLS = false
    /// The certificates of trusted authorities; nil: the machine's.
    var ca: String?
    /// A private file with `user:password`.
    var credentials: String?
    var topics: [String] = []

    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let name = rest.popFirst() {
            if name == "--tls" {
                isTLS = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--host": host = value
            case "--port": port = Int32(value) ?? 0  // fits: text, or nil
            case "--client": client = value
            case "--ca": ca = value
            case "--credentials": credentials = value
            case "--topic": topics.append(value)
            default: return nil
            }
        }
        guard !host.isEmpty, (1...65_535).contains(port), !client.isEmpty, !topics.isEmpty else {
            return nil
        }
    }
}
