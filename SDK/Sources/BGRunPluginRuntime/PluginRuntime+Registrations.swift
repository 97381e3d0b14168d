// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin
import Synchronization

extension PluginRuntime {
    /// Reports every handler to the host, with the request that was submitted for it so far.
    func tellRegistrations() {
        let known = state.withLock { $0 }
        guard let host = known.host else { return }
        for identifier in known.handlers.keys.sorted() {
            let request = known.heldRequests.last { $0.identifier == identifier }
            host.tell(
                identifier, kind: request?.kind ?? known.expectedKinds[identifier], request)
        }
        for kind in PluginTask.Kind.allCases where known.kindHandlers[kind] != nil {
            host.tell(nil, kind: kind)
        }
    }
}

extension HostTable {
    /// Reports one handler to the host; does nothing if the host does not support it.
    func tell(_ identifier: String?, kind: PluginTask.Kind?, _ request: PluginRequest? = nil) {
        guard let registration else { return }
        func tell(_ identifier: UnsafePointer<CChar>?) {
            var value = bgrun_registration(
                struct_size: UInt32(MemoryLayout<bgrun_registration>.size),
                kind: kind?.rawValue ?? 0, identifier: identifier,
                earliest_delay_ns: request?.delay.clampedNanoseconds ?? -1,
                requires: UInt32(bitPattern: request?.requirements.rawValue ?? 0), reserved: 0)
            _ = registration.pointee.registered(pointer, &value)
        }
        if let identifier { identifier.withCString(tell) } else { tell(nil) }
    }
}
