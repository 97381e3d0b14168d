// SPDX-License-Identifier: Apache-2.0

import BGRunMQTT

/// Brings a host what an MQTT broker has for it; see `MQTTProgram`.
@main
enum Main {
    static func main() { MQTTProgram.run() }
}
