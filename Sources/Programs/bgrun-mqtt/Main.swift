// SPDX-License-Identifier: Apache-2.0

import BGRunMQTT

/// Passes the messages of an MQTT broker to a host; see `MQTTProgram`.
@main
enum Main {
    static func main() { MQTTProgram.run() }
}
